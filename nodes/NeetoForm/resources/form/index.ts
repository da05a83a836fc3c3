import { describeResource } from '../describeResource';
import { createForm } from './create';
import { getForm } from './get';
import { getManyForms } from './getAll';

export const formDescription = describeResource('form', [createForm, getForm, getManyForms]);
