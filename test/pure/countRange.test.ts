import { NodeApiError, UserError, type INode } from 'n8n-workflow';

import type { Get } from '../../nodes/NeetoForm/api/service';
import { countRange } from '../../nodes/NeetoForm/resources/submission/countRange';

const AFTER = Date.parse('2026-02-01T00:00:00Z');
const BEFORE = Date.parse('2026-03-01T00:00:00Z');
const IN_RANGE = AFTER + 1_000;

/** A page: the ID and the creation time of its row, if it has one, and its total. */
type Answer = [total: number, createdMs?: number, id?: string];
const REFUSED = 'refused';

const node: INode = { id: 'node', name: 'Form', type: 'form', typeVersion: 1, position: [0, 0], parameters: {} };

/** Counts at a service that gives these answers, one after the other. */
async function count(
  answers: Array<Answer | typeof REFUSED>,
  range = { after: AFTER, before: BEFORE as number | undefined },
) {
  const asked: string[] = [];
  const get: Get = async ({ query = {} }, parse) => {
    const answer = answers[asked.length];
    const { submitted_after: after, page } = query as { submitted_after: string; page: number };
    asked.push(`${after.slice(5, 7)}/${page}`);
    if (answer === REFUSED || answer === undefined)
      throw new NodeApiError(node, { message: 'No such page' }, { httpCode: '404' });
    const [total_count, createdMs, id = 'oldest'] = answer;
    const row = createdMs !== undefined && { id, created_at: new Date(createdMs).toISOString(), responses: [] };
    return await Promise.resolve(parse({ body: { submissions: row ? [row] : [], total_count } }));
  };
  return { counted: await countRange({ get }, { id: 'form' }, range), asked: asked.join(' ') };
}

it.each<[what: string, answers: Array<Answer | typeof REFUSED>, counted: number, asked: string]>([
  [
    'subtracts what lies beyond',
    [
      [5, IN_RANGE],
      [2, BEFORE],
      [5, IN_RANGE],
    ],
    3,
    '02/1 03/1 02/1',
  ],
  [
    'gives 0 when the oldest lies beyond',
    [
      [2, BEFORE],
      [2, BEFORE],
      [2, BEFORE],
    ],
    0,
    '02/1 03/1 02/1',
  ],
  ['gives 0 when there is nothing', [[0], [0], [0]], 0, '02/1 03/1 02/1'],
  [
    'counts again when the form changed meanwhile',
    [
      [5, IN_RANGE],
      [3, BEFORE],
      [6, IN_RANGE],
      [6, IN_RANGE],
      [3, BEFORE],
      [6, IN_RANGE],
    ],
    3,
    '02/1 03/1 02/1 02/1 03/1 02/1',
  ],
  [
    'believes a total of 1 when page 2 is empty',
    [[1, IN_RANGE], [1], [0], [1, IN_RANGE], [0]],
    1,
    '02/1 02/2 03/1 02/1 02/2',
  ],
  [
    'believes a total of 1 when page 2 is refused, or shows the same',
    [[1, IN_RANGE], REFUSED, [0], [1, IN_RANGE], [1, IN_RANGE]],
    1,
    '02/1 02/2 03/1 02/1 02/2',
  ],
  [
    'counts again when page 2 shows a submission that was added',
    [[1, IN_RANGE], [2, IN_RANGE, 'new'], [2, IN_RANGE], [0], [2, IN_RANGE]],
    2,
    '02/1 02/2 02/1 03/1 02/1',
  ],
])('%s', async (_what, answers, counted, asked) => {
  expect(await count(answers)).toEqual({ counted, asked });
});

it('gives the total of a range without an upper bound', async () => {
  expect(await count([[5, IN_RANGE]], { after: AFTER, before: undefined })).toEqual({ counted: 5, asked: '02/1' });
});

const CHANGED: Answer[] = [
  [5, IN_RANGE],
  [3, BEFORE],
  [6, IN_RANGE],
];

it.each<[problem: string, answers: Answer[]]>([
  [
    'The list of submissions has a total of 5 from the lower bound on, and of 5 from the upper bound on, but shows other rows',
    [
      [5, IN_RANGE],
      [5, BEFORE],
      [5, IN_RANGE],
    ],
  ],
  [
    'The list of submissions has a total of 5 from the lower bound on, and of 4 from the upper bound on, but shows other rows',
    [
      [5, BEFORE],
      [4, BEFORE],
      [5, BEFORE],
    ],
  ],
  ['The list of submissions cannot be read completely: it shows 0 of 2 rows', [[2]]],
  [
    'The list of submissions has a total of 1, but shows more rows',
    [
      [1, IN_RANGE],
      [1, IN_RANGE, 'other'],
    ],
  ],
  [
    'The list of submissions has a total of 1, but shows more rows',
    [
      [1, IN_RANGE],
      [2, IN_RANGE, 'new'],
      [1, IN_RANGE],
      [2, IN_RANGE, 'new'],
    ],
  ],
  [
    'The list of submissions cannot be counted: it was different each time',
    [...CHANGED, ...CHANGED, ...CHANGED, ...CHANGED, ...CHANGED],
  ],
])('is refused: %s', async (message, answers) => {
  await expect(count(answers)).rejects.toThrow(UserError);
  await expect(count(answers)).rejects.toThrow(expect.objectContaining({ message }) as Error);
});

it('says what to do when the form changes during each count', async () => {
  const description = 'Run this again at a quieter time.';
  const counting = count([...CHANGED, ...CHANGED, ...CHANGED, ...CHANGED, ...CHANGED]);
  await expect(counting).rejects.toThrow(expect.objectContaining({ description }) as Error);
});
