import type { IDataObject } from 'n8n-workflow';
import { isAboutFiles } from './answers';
import type { FormDetails } from './questions';

const SAMPLE_ID = 'sample-submission';

/** Makes up a submission with an answer to every question. @param now ms since 1970 */
export function sampleSubmission({ questions }: FormDetails, now: number) {
  const createdAt = new Date(now).toISOString();
  const responses = questions.map((question): IDataObject => {
    return { id: `${SAMPLE_ID}-${question.slug}`, ...question, value: sampleAnswer(question.kind, createdAt) };
  });
  return { id: SAMPLE_ID, createdMs: now, data: { id: SAMPLE_ID, created_at: createdAt, field_values: [], responses } };
}

/** Answers by kind of question; the first match counts. The service does not document its kinds. */
const SAMPLES: Array<[kind: RegExp, value: IDataObject[string]]> = [
  [/name/i, { first_name: 'Jane', last_name: 'Doe' }],
  [/e-?mail/i, 'jane@example.com'],
  [/phone|mobile/i, { country_name: 'United States', value: '+1 202 555 0100' }],
  [
    /address/i,
    {
      address: [
        { label: 'Street address', content: '1 Example Street' },
        { label: 'City', content: 'Springfield' },
      ],
    },
  ],
  [/website|url|link/i, 'https://example.com'],
  [/multi.?(?:ple|choice|select)|checkbox/i, ['First choice', 'Second choice']],
  [/rating|scale|integer|number|decimal/i, 4],
];

function sampleAnswer(kind: string, createdAt: string): IDataObject[string] {
  if (isAboutFiles(kind)) return { files: [{ name: 'sample.pdf', url: 'https://files.example.com/sample.pdf' }] };
  const sample = SAMPLES.find(([pattern]) => pattern.test(kind))?.[1];
  return sample ?? (/date/i.test(kind) ? createdAt.slice(0, 10) : 'Sample answer');
}
