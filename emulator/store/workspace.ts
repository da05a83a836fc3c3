import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { SubmissionLog } from './submissionLog.ts';
import { parseTimestamp } from './timestamps.ts';
import type {
  Form,
  FormInput,
  Member,
  MemberInput,
  Question,
  QuestionInput,
  StoredFile,
  Submission,
  SubmissionInput,
} from './types.ts';

/** Everything one workspace holds. All of it is in memory. */
export class Workspace {
  /** The organization roles of the workspace. */
  readonly roles = ['Admin', 'Standard', 'Editor', 'Reviewer'];
  /** All team members, active or not, in the order in which they joined. */
  readonly members: Member[] = [];
  readonly files = new Map<string, StoredFile>();
  /** Invitation e-mails that the real service would have sent. */
  readonly invitations: Array<{ email: string }> = [];
  /** How many IDs it has generated. */
  generatedIds = 0;
  private readonly clock: Clock;
  private readonly formsById = new Map<string, Form>();
  private readonly logs = new Map<string, SubmissionLog>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** All forms, oldest first. */
  get forms(): Form[] {
    return [...this.formsById.values()].sort((one, other) => one.createdAt - other.createdAt);
  }

  /** The form with exactly this id. */
  form(id: string): Form | undefined {
    return this.formsById.get(id);
  }

  /** Adds a form. */
  addForm({ questions = [], ...input }: FormInput): Form {
    const createdAt = input.createdAt ?? this.clock.now();
    const defaults = {
      id: this.newId(),
      title: input.title,
      state: 'published',
      isPublished: true,
      isArchived: false,
      isFavorite: false,
      createdAt,
      updatedAt: createdAt,
      createdBy: this.members[0]?.email ?? 'admin@example.com',
    };
    const form = { ...withDefaults(defaults, input), questions: this.makeQuestions(questions) };
    if (this.formsById.has(form.id)) throw new Error(`There already is a form ${form.id}`);
    this.formsById.set(form.id, form);
    this.logs.set(form.id, new SubmissionLog(form.id, this.clock));
    return form;
  }

  /** Changes a form; new questions, if any, replace all the old ones. */
  updateForm(id: string, { questions, ...change }: Partial<FormInput>): void {
    const form = this.formsById.get(id);
    if (!form) throw new Error(`There is no form ${id}`);
    Object.assign(form, withDefaults({ ...form, updatedAt: this.clock.now() }, change));
    if (questions) form.questions = this.makeQuestions(questions);
  }

  /** Deletes a form with its submissions. */
  deleteForm(id: string): void {
    this.logs.delete(id);
    this.formsById.delete(id);
  }

  /** The workspace's time, milliseconds since 1970 UTC. */
  get now(): number {
    return this.clock.now();
  }

  /** Adds a submission to a form. */
  addSubmission(formId: string, { createdAt: created = this.clock.now(), ...input }: SubmissionInput = {}): Submission {
    const at = typeof created === 'number' ? created : parseTimestamp(created);
    if (at === undefined) throw new Error(`Not an ISO 8601 time: ${created}`);
    const createdAt = typeof created === 'number' ? new Date(created).toISOString() : created;
    const defaults = { id: this.newId(), at, createdAt, answers: {}, fieldValues: [] };
    const submission: Submission = withDefaults<Submission>(defaults, input);
    this.log(formId).add(submission);
    return submission;
  }

  /** Every submission of a form that is not deleted, also those not visible yet, oldest first. */
  submissions(formId: string): Submission[] {
    return this.log(formId).all();
  }

  /** The member with this address, active or not; letter case does not count. */
  memberByEmail(email: string): Member | undefined {
    return this.members.find((member) => member.email.toLowerCase() === email.toLowerCase());
  }

  /** Adds a team member without any check. */
  addMember(input: MemberInput): Member {
    const createdAt = input.createdAt ?? this.clock.now();
    const defaults: Member = {
      id: this.newId(),
      email: input.email,
      firstName: '',
      lastName: '',
      timeZone: 'UTC',
      organizationRole: 'Standard',
      active: true,
      createdAt,
      updatedAt: createdAt,
    };
    const member = withDefaults(defaults, input);
    this.members.push(member);
    return member;
  }

  /** Changes a team member without any check. */
  updateMember(member: Member, change: Partial<Member>): void {
    Object.assign(member, withDefaults({ ...member, updatedAt: this.clock.now() }, change));
  }

  /** Keeps an uploaded file. */
  addFile(input: Omit<StoredFile, 'id'> & { id?: string }): StoredFile {
    const file = { id: this.newId(), ...input };
    this.files.set(file.id, file);
    return file;
  }

  /** The submissions of a form, to count, select and delete them, or to give it a long past. */
  log(formId: string): SubmissionLog {
    const log = this.logs.get(formId);
    if (!log) throw new Error(`There is no form ${formId}`);
    return log;
  }

  /** A UUID: the same in every workspace that is filled in the same way. */
  private newId(): string {
    this.generatedIds += 1;
    const digits = createHash('md5').update(String(this.generatedIds)).digest('hex');
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
  }

  private makeQuestions(inputs: QuestionInput[]): Question[] {
    const taken = new Set(inputs.map(({ slug }) => slug));
    return inputs
      .map((input, index) => {
        const slug = input.slug ?? freeSlug(input.label, taken);
        taken.add(slug);
        const defaults: Question = {
          id: this.newId(),
          label: input.label,
          kind: 'text',
          slug,
          position: index + 1,
          isRequired: false,
          isHidden: false,
          options: [],
        };
        return withDefaults(defaults, input);
      })
      .sort((one, other) => one.position - other.position);
  }
}

function freeSlug(label: string, taken: Set<string | undefined>): string {
  const words = label.toLowerCase().match(/[a-z0-9]+/g) ?? ['type-a-question'];
  const base = words.join('-');
  let slug = base;
  for (let number = 2; taken.has(slug); number += 1) slug = `${base}-${number}`;
  return slug;
}

/** An input with defaults; a key whose value is undefined gets the default. */
function withDefaults<T extends object>(defaults: T, input: Partial<T>): T {
  return { ...defaults, ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) };
}
