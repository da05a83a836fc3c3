/** A clock that tells the time of the workspace in milliseconds since 1970 UTC. */
export type Clock = Pick<DateConstructor, 'now'>;

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The defaults of a new question, a new form and a new team member. */
export const QUESTION = { kind: 'text', isRequired: false, isHidden: false, options: new Array<string>() };
export const FORM = { state: 'published', isPublished: true, isArchived: false, isFavorite: false };
export const MEMBER = { firstName: '', lastName: '', timeZone: 'UTC', organizationRole: 'Standard', active: true };

/** Milliseconds since 1970 UTC. */
type Times = Record<'createdAt' | 'updatedAt', number>;

/** A question as the store keeps it; `options` are the choices of the kinds that offer some. */
export type Question = typeof QUESTION & Record<'id' | 'label' | 'slug', string> & { position: number };

/** A new question. Everything but its label has a default. */
export type QuestionInput = Pick<Question, 'label'> & Partial<Question>;

/** A form as the store keeps it. */
export type Form = typeof FORM & Times & Record<'id' | 'title' | 'createdBy', string> & { questions: Question[] };

/** A new form. Everything but its title has a default. */
export type FormInput = Pick<Form, 'title'> & Partial<Omit<Form, 'questions'>> & { questions?: QuestionInput[] };

/** A team member as the store keeps it. */
export type Member = typeof MEMBER & Times & Record<'id' | 'email', string>;

/** A new team member. Everything but the e-mail address has a default. */
export type MemberInput = Pick<Member, 'email'> & Partial<Member>;

/** A custom column of a submission, as the service sends it. */
export interface FieldValue {
  id: string;
  field_id: string;
  data: { value: Json } | { values: Json[] };
}

/** A submission as the store keeps it. */
export interface Submission {
  id: string;
  /**
   * When the respondent opened the form, in milliseconds since 1970 UTC. Fractions count when the service orders and filters, but are not
   * sent.
   */
  createdAt: number;
  /** No response before this time, in milliseconds since 1970 UTC, contains the submission. Default: every response contains it. */
  visibleAt?: number;
  /** The value of each answer as the service sends it, by the slug of the question. */
  answers: Record<string, Json>;
  fieldValues: FieldValue[];
  /** If set, these are sent as they are instead of `answers`. */
  responses?: Json[];
}

/** A new submission. Everything has a default: it is created now, and has no answers. */
export type SubmissionInput = Partial<Submission>;

/** A file that a respondent uploaded. */
export interface StoredFile {
  id: string;
  name: string;
  type: string;
  data: Uint8Array;
}
