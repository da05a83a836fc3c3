/** Anything JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A question as the store keeps it. */
export interface Question {
  id: string;
  label: string;
  kind: string;
  slug: string;
  position: number;
  isRequired: boolean;
  isHidden: boolean;
  /** What can be chosen, for the kinds that offer a choice. */
  options: string[];
}

/** What is needed of a new question; the rest has defaults. */
export type QuestionInput = Pick<Question, 'label'> & Partial<Question>;

/** A form as the store keeps it. Times are milliseconds since 1970 UTC. */
export interface Form {
  id: string;
  title: string;
  state: string;
  isPublished: boolean;
  isArchived: boolean;
  isFavorite: boolean;
  createdAt: number;
  updatedAt: number;
  createdBy: string;
  questions: Question[];
}

/** What is needed of a new form; the rest has defaults. */
export type FormInput = Pick<Form, 'title'> &
  Partial<Omit<Form, 'title' | 'questions'>> & { questions?: QuestionInput[] };

/** A custom column of a submission, as the service sends it. */
export interface FieldValue {
  id: string;
  field_id: string;
  data: { value: Json } | { values: Json[] };
}

/** A submission as the store keeps it. */
export interface Submission {
  id: string;
  /** What orders and filters: milliseconds since 1970 UTC, and fractions, which are not shown. */
  at: number;
  /** What is shown. */
  createdAt: string;
  /** Milliseconds since 1970 UTC before which no response contains the submission. Default: always. */
  visibleAt?: number;
  /** Values by question slug, in the shape the service sends them. */
  answers: Record<string, Json>;
  fieldValues: FieldValue[];
  /** Sent as they are, instead of `answers`. */
  responses?: Json[];
}

/** A new submission; everything has a default. */
export type SubmissionInput = Partial<Omit<Submission, 'at' | 'createdAt'>> & {
  /**
   * When the respondent opened the form: milliseconds since 1970 UTC, or an ISO 8601 text that is shown exactly as it is written.
   * Default: the clock's now.
   */
  createdAt?: number | string;
};

/** A team member as the store keeps it. Times are milliseconds since 1970 UTC. */
export interface Member {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  timeZone: string;
  organizationRole: string;
  active: boolean;
  createdAt: number;
  updatedAt: number;
}

/** What is needed of a new team member; the rest has defaults. */
export type MemberInput = Pick<Member, 'email'> & Partial<Member>;

/** A file that a respondent uploaded. */
export interface StoredFile {
  id: string;
  name: string;
  type: string;
  data: Uint8Array;
}
