import { createHash } from 'node:crypto';
import {
  FORM,
  MEMBER,
  QUESTION,
  type Clock,
  type Form,
  type FormInput,
  type Member,
  type MemberInput,
  type Question,
  type QuestionInput,
  type StoredFile,
  type Submission,
  type SubmissionInput,
} from './types.ts';

/** All its fields but the clock are data: they can be stored, and assigned to another workspace. */
export class Workspace {
  /** Active or not, in the order in which they joined. */
  readonly members: Member[] = [];
  readonly files = new Map<string, StoredFile>();
  /** E-mails that the real service would have sent. */
  readonly invitations: Array<{ email: string }> = [];
  readonly #clock: Clock;
  /** By the ID of the form. Rows are oldest first; those with one time are in the order of their addition. */
  private readonly content = new Map<string, { form: Form; rows: Submission[] }>();
  private generatedIds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get now(): number {
    return this.#clock.now();
  }

  /** All forms, oldest first. */
  get forms(): Form[] {
    return [...this.content.values()].map(({ form }) => form).sort((one, other) => one.createdAt - other.createdAt);
  }

  form(id: string): Form | undefined {
    return this.content.get(id)?.form;
  }

  /** @throws Error when there is a form with this ID */
  addForm({ questions = [], createdAt = this.now, ...input }: FormInput): Form {
    const createdBy = this.members[0]?.email ?? 'admin@example.com';
    const defaults = { id: this.newId(), createdBy, createdAt, updatedAt: createdAt };
    const form = { ...FORM, ...defaults, ...input, questions: this.makeQuestions(questions) };
    if (this.content.has(form.id)) throw new Error(`There already is a form ${form.id}`);
    this.content.set(form.id, { form, rows: [] });
    return form;
  }

  /** Changes a form. Questions, if given, replace all earlier ones. */
  updateForm(id: string, { questions, ...change }: Partial<FormInput>): void {
    const { form } = this.contentOf(id);
    Object.assign(form, { updatedAt: this.now, ...change });
    if (questions) form.questions = this.makeQuestions(questions);
  }

  deleteForm(id: string): void {
    this.content.delete(id);
  }

  addSubmission(formId: string, input: SubmissionInput = {}): Submission {
    const submission = { id: this.newId(), createdAt: this.now, answers: {}, fieldValues: [], ...input };
    const { rows } = this.contentOf(formId);
    rows.splice(rows.findLastIndex((row) => row.createdAt <= submission.createdAt) + 1, 0, submission);
    return submission;
  }

  deleteSubmission(formId: string, id: string): void {
    const { rows } = this.contentOf(formId);
    const index = rows.findIndex((row) => row.id === id);
    if (index >= 0) rows.splice(index, 1);
  }

  /** All submissions of a form, visible or not, oldest first. */
  submissions(formId: string): Submission[] {
    return [...this.contentOf(formId).rows];
  }

  /** The submissions that a response may contain now, oldest first, from a creation time on (milliseconds since 1970 UTC). */
  visibleSubmissions(formId: string, after = -Infinity): Submission[] {
    const { now } = this;
    return this.contentOf(formId).rows.filter(
      ({ createdAt, visibleAt = -Infinity }) => createdAt >= after && visibleAt <= now,
    );
  }

  /** The member with this address, active or not, whatever the letter case. */
  memberByEmail(email: string): Member | undefined {
    return this.members.find((member) => member.email.toLowerCase() === email.toLowerCase());
  }

  /** Adds a team member, even if there is one with the same address. */
  addMember({ createdAt = this.now, ...input }: MemberInput): Member {
    const member = { ...MEMBER, id: this.newId(), createdAt, updatedAt: createdAt, ...input };
    this.members.push(member);
    return member;
  }

  updateMember(member: Member, change: Partial<Member>): void {
    Object.assign(member, { updatedAt: this.now, ...change });
  }

  addFile(input: Omit<StoredFile, 'id'> & { id?: string }): StoredFile {
    const file = { id: this.newId(), ...input };
    this.files.set(file.id, file);
    return file;
  }

  /** A UUID made from a count, so that workspaces that are filled in the same way have the same IDs. */
  private newId(): string {
    this.generatedIds += 1;
    const digits = createHash('md5').update(String(this.generatedIds)).digest('hex');
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
  }

  private contentOf(formId: string) {
    const content = this.content.get(formId);
    if (!content) throw new Error(`There is no form ${formId}`);
    return content;
  }

  /** A question without a slug gets one from its label, as in the service. */
  private makeQuestions(inputs: QuestionInput[]): Question[] {
    const taken = new Set(inputs.map(({ slug }) => slug));
    const questions = inputs.map((input, index) => {
      const words = input.label.toLowerCase().match(/[a-z0-9]+/g) ?? ['type-a-question'];
      const base = words.join('-');
      const { slug = taken.has(base) ? `${base}-${index + 1}` : base } = input;
      taken.add(slug);
      return { ...QUESTION, id: this.newId(), position: index + 1, ...input, slug };
    });
    return questions.sort((one, other) => one.position - other.position);
  }
}
