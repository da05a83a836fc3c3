import { describeResource } from '../describeResource';
import { countFormSubmissions } from './count';
import { getManySubmissions } from './getAll';

export const submissionDescription = describeResource('submission', [countFormSubmissions, getManySubmissions]);
