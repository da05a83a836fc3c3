/** The time the emulator lives in, in milliseconds since 1970 UTC. */
export type Clock = Pick<DateConstructor, 'now'>;

/** Anything JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** What a new question, form and team member have unless it is given. */
export const QUESTION = { kind: 'text', isRequired: false, isHidden: false, options: new Array<string>() };
export const FORM = { state: 'published', isPublished: true, isArchived: false, isFavorite: false };
export const MEMBER = { firstName: '', lastName: '', timeZone: 'UTC', organizationRole: 'Standard', active: true };

/** Milliseconds since 1970 UTC. */
type Times = Record<'createdAt' | 'updatedAt', number>;

/** A question as the store keeps it; `options` are what can be chosen, for the kinds that offer a choice. */
export type Question = typeof QUESTION & Record<'id' | 'label' | 'slug', string> & { position: number };

/** What is needed of a new question; the rest has defaults. */
export type QuestionInput = Pick<Question, 'label'> & Partial<Question>;

/** A form as the store keeps it. */
export type Form = typeof FORM & Times & Record<'id' | 'title' | 'createdBy', string> & { questions: Question[] };

/** What is needed of a new form; the rest has defaults. */
export type FormInput = Pick<Form, 'title'> & Partial<Omit<Form, 'questions'>> & { questions?: QuestionInput[] };

/** A team member as the store keeps it. */
export type Member = typeof MEMBER & Times & Record<'id' | 'email', string>;

/** What is needed of a new team member; the rest has defaults. */
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
  /** When the respondent opened the form: milliseconds since 1970 UTC, and fractions, which order and filter, but are not shown. */
  createdAt: number;
  /** Milliseconds since 1970 UTC before which no response contains the submission. Default: always. */
  visibleAt?: number;
  /** Values by question slug, in the shape the service sends them. */
  answers: Record<string, Json>;
  fieldValues: FieldValue[];
  /** Sent as they are, instead of `answers`. */
  responses?: Json[];
}

/** A new submission; everything has a default. It is created now. */
export type SubmissionInput = Partial<Submission>;

/** A file that a respondent uploaded. */
export interface StoredFile {
  id: string;
  name: string;
  type: string;
  data: Uint8Array;
}
