import type { Clock } from '../clock.ts';
import { createRandom, type Random } from '../random.ts';
import { withDefaults } from './defaults.ts';
import { MemberList } from './members.ts';
import { SubmissionLog, type SubmissionQuery } from './submissionLog.ts';
import { formatTimestamp, parseTimestamp } from './timestamps.ts';
import type {
  Form,
  FormChange,
  FormInput,
  HistoryInput,
  Member,
  MemberInput,
  Question,
  QuestionInput,
  StoredFile,
  Submission,
  SubmissionInput,
} from './types.ts';

/** An invitation e-mail that the real service would have sent. */
export interface Invitation {
  email: string;
  invitedBy: string;
}

/** Everything one workspace holds. All of it is in memory. */
export class Workspace {
  readonly clock: Clock;
  /** The organization roles of the workspace. */
  readonly roles = ['Admin', 'Standard', 'Editor', 'Reviewer'];
  readonly team: MemberList;
  readonly files = new Map<string, StoredFile>();
  readonly invitations: Invitation[] = [];
  /** Decides the order of equal times when it is to be random. */
  readonly tieOrder = createRandom(1);
  /** Decides generated ids: the same in every workspace that is filled in the same way. */
  private readonly random: Random;
  private readonly formsById = new Map<string, Form>();
  private readonly logs = new Map<string, SubmissionLog>();

  constructor(clock: Clock) {
    this.clock = clock;
    this.random = createRandom(1);
    this.team = new MemberList(clock, this.random);
  }

  /** All forms, oldest first. */
  get forms(): Form[] {
    return [...this.formsById.values()].sort((one, other) => one.createdAt - other.createdAt);
  }

  /** All team members, active or not, oldest first. */
  get members(): Member[] {
    return this.team.all();
  }

  /** The form with exactly this id. */
  form(id: string): Form | undefined {
    return this.formsById.get(id);
  }

  /** Adds a form. */
  addForm(input: FormInput): Form {
    const now = this.clock.now();
    const createdAt = input.createdAt ?? now;
    const defaults = {
      id: this.random.uuid(),
      state: 'published',
      isPublished: true,
      isArchived: false,
      isDisabled: false,
      isSuspended: false,
      isFavorite: false,
      createdAt,
      updatedAt: createdAt,
      createdBy: this.team.all()[0]?.email ?? 'admin@example.com',
    };
    const form: Form = {
      ...withDefaults(defaults, input),
      title: input.title,
      questions: this.makeQuestions(input.questions ?? []),
    };
    if (this.formsById.has(form.id)) throw new Error(`There already is a form ${form.id}`);
    this.formsById.set(form.id, form);
    this.logs.set(form.id, new SubmissionLog(form.id));
    return form;
  }

  /** Changes a form; new questions, if any, replace all the old ones. */
  updateForm(id: string, change: FormChange): Form {
    const form = this.formsById.get(id);
    if (!form) throw new Error(`There is no form ${id}`);
    const { questions, ...rest } = change;
    Object.assign(form, withDefaults({ ...form, updatedAt: this.clock.now() }, rest));
    if (questions) form.questions = this.makeQuestions(questions);
    return form;
  }

  /** Deletes a form with its submissions. Returns whether there was one. */
  deleteForm(id: string): boolean {
    this.logs.delete(id);
    return this.formsById.delete(id);
  }

  /** Adds a submission to a form. */
  addSubmission(formId: string, input: SubmissionInput = {}): Submission {
    const created = input.createdAt ?? this.clock.now();
    const exact = typeof created === 'number' ? created * 1000 : parseTimestamp(created);
    if (exact === undefined) throw new Error(`Not an ISO 8601 time: ${created}`);
    const micros = exact + (input.micros ?? 0);
    const submission: Submission = {
      id: input.id ?? this.random.uuid(),
      formId,
      micros,
      createdAt: typeof created === 'number' ? formatTimestamp(micros) : created,
      visibleAt: input.visibleAt ?? Number.NEGATIVE_INFINITY,
      answers: input.answers ?? {},
      fieldValues: input.fieldValues ?? [],
      responses: input.responses,
    };
    this.log(formId).add(submission, this.clock.now());
    return submission;
  }

  /** Adds a past to a form: rows that are computed when they are requested. They cannot be deleted. */
  addHistory(formId: string, history: HistoryInput): void {
    this.log(formId).addHistory(history, this.clock.now());
  }

  /** Deletes a submission. Returns whether there was one. */
  deleteSubmission(formId: string, id: string): boolean {
    return this.log(formId).delete(id, this.clock.now());
  }

  /** Restores a deleted submission. Returns whether there was one. */
  restoreSubmission(formId: string, id: string): boolean {
    return this.log(formId).restore(id, this.clock.now());
  }

  /**
   * Every submission of a form that is not deleted, also those not visible yet, oldest first.
   * A computed history is computed as a whole; `countSubmissions` and `selectSubmissions` do without.
   */
  submissions(formId: string): Submission[] {
    return this.log(formId).all();
  }

  /** The submission with this id, visible or not. */
  submission(formId: string, id: string): Submission | undefined {
    return this.log(formId).find(id);
  }

  /**
   * How many submissions of a form are visible now.
   * @param lagMs instead of now, so many milliseconds ago
   */
  countSubmissions(formId: string, lagMs = 0): number {
    return this.log(formId).count(this.clock.now(), lagMs);
  }

  /** One page of the submissions of a form that are visible now, with the number of all that match. */
  selectSubmissions(formId: string, query: SubmissionQuery): { rows: Submission[]; total: number } {
    return this.log(formId).select(query, this.clock.now());
  }

  /** Adds a team member without any check. */
  addMember(input: MemberInput): Member {
    return this.team.add(input);
  }

  /** Keeps an uploaded file. */
  addFile(input: Omit<StoredFile, 'id'> & { id?: string }): StoredFile {
    const file = { id: this.random.uuid(), ...input };
    this.files.set(file.id, file);
    return file;
  }

  private log(formId: string): SubmissionLog {
    const log = this.logs.get(formId);
    if (!log) throw new Error(`There is no form ${formId}`);
    return log;
  }

  private makeQuestions(inputs: QuestionInput[]): Question[] {
    const taken = new Set(inputs.flatMap(({ slug }) => (slug === undefined ? [] : [slug])));
    return inputs
      .map((input, index) => {
        const slug = input.slug ?? freeSlug(input.label, taken);
        taken.add(slug);
        const defaults: Question = {
          id: this.random.uuid(),
          label: input.label,
          kind: 'short_text',
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

function freeSlug(label: string, taken: Set<string>): string {
  const words = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const base = words === '' ? 'type-a-question' : words;
  let slug = base;
  for (let number = 2; taken.has(slug); number += 1) slug = `${base}-${number}`;
  return slug;
}
