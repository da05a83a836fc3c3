import type { Json, QuestionInput, SubmissionInput } from '../../emulator/index.ts';

interface Asked {
  label: string;
  kind: string;
  /** One per submission, in turn. */
  answers: Json[];
}

const asked: Asked[] = [
  {
    label: 'Full name',
    kind: 'name',
    answers: ['Mia Andersson', 'Yusuf Demir', 'Chloé Dupont', '山田 太郎', 'Priya Natarajan'],
  },
  {
    label: 'Email',
    kind: 'email',
    answers: ['mia@example.com', 'yusuf.demir@example.org', 'chloe@example.com', 'taro@example.jp'],
  },
  { label: 'How did you hear of us?', kind: 'single_choice', answers: ['A friend', 'A search engine', 'A conference'] },
  {
    label: 'What are you interested in?',
    kind: 'multiple_choice',
    answers: [['Pricing'], ['Pricing', 'Support'], ['API', 'Self-hosting', 'Support']],
  },
  { label: 'How likely are you to recommend us?', kind: 'opinion_scale', answers: [10, 7, 9, 8, 3] },
  {
    label: 'What can we do for you?',
    kind: 'long_text',
    answers: [
      'We are a team of twelve and would like to move our intake forms over before the end of the quarter. Could somebody show us how?',
      'Nothing, just looking around.',
      'The export of last month lacks two submissions that we can see on the page. The support form sent me here.\nBest wishes!',
    ],
  },
];

const everyMs = 60_000;
const first = Date.parse('2025-01-01T00:00:00Z');

/** The questions of a form that is measured. */
export const questions: QuestionInput[] = asked.map(({ label, kind }) => ({ label, kind, slug: slugOf(label) }));

/** That many submissions of such a form, a minute apart, every question answered. */
export function* submissionInputs(count: number): Generator<SubmissionInput> {
  // Made once and shared: the service should spend its time on sending, and a hundred thousand should fit into memory.
  const different = asked.reduce((product, { answers }) => product * answers.length, 1);
  const kept = Array.from({ length: Math.min(different, count) }, (_, index) => responses(index));
  for (let index = 0; index < count; index += 1) {
    yield { createdAt: first + index * everyMs, responses: kept[index % kept.length] };
  }
}

function responses(index: number): Json[] {
  let rest = index;
  return asked.map(({ label, kind, answers }, place) => {
    const value = answers[rest % answers.length] ?? null;
    rest = Math.floor(rest / answers.length);
    const digits = (index * asked.length + place).toString(16).padStart(12, '0');
    return { id: `5b1c7a90-3d2e-4f6a-8b90-${digits}`, label, position: place + 1, kind, slug: slugOf(label), value };
  });
}

function slugOf(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
