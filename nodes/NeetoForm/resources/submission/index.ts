import { describeResource } from '../describeResource';
import { getManySubmissions } from './getAll';

export const submissionDescription = describeResource('submission', [getManySubmissions], getManySubmissions);
