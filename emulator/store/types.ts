/** Tells the time of the workspace in milliseconds since 1970 UTC. */
export type Clock = Pick<DateConstructor, 'now'>;

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The defaults of a new question, a new form and a new team member. */
export const QUESTION = { kind: 'text', isRequired: false, isHidden: false, options: new Array<string>() };
export const FORM = { state: 'published', isPublished: true, isArchived: false, isFavorite: false };
export const MEMBER = { firstName: '', lastName: '', timeZone: 'UTC', organizationRole: 'Standard', active: true };

/** In milliseconds since 1970 UTC. */
type Times = Record<'createdAt' | 'updatedAt', number>;

/** `options` are the choices of the kinds that offer some. */
export type Question = typeof QUESTION & Record<'id' | 'label' | 'slug', string> & { position: number };

export type QuestionInput = Pick<Question, 'label'> & Partial<Question>;

export type Form = typeof FORM & Times & Record<'id' | 'title' | 'createdBy', string> & { questions: Question[] };

export type FormInput = Pick<Form, 'title'> & Partial<Omit<Form, 'questions'>> & { questions?: QuestionInput[] };

export type Member = typeof MEMBER & Times & Record<'id' | 'email', string>;

export type MemberInput = Pick<Member, 'email'> & Partial<Member>;

/** A custom column of a submission, as the service sends it. */
export interface FieldValue {
  id: string;
  field_id: string;
  data: { value: Json } | { values: Json[] };
}

export interface Submission {
  id: string;
  /** When the respondent opened the form, in milliseconds since 1970 UTC. Fractions only count when the service orders and filters. */
  createdAt: number;
  /** No response before this time (milliseconds since 1970 UTC) contains the submission. Default: every response does. */
  visibleAt?: number;
  /** By the slug of the question. */
  answers: Record<string, Json>;
  fieldValues: FieldValue[];
  /** Sent as they are instead of `answers`. */
  responses?: Json[];
}

export type SubmissionInput = Partial<Submission>;

export interface StoredFile {
  id: string;
  name: string;
  type: string;
  data: Uint8Array;
}
