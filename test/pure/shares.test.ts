import { maxKnownOf, shares } from '../../nodes/NeetoForm/polling/shares';

it.each<[total: number, needs: number[], given: number[]]>([
  [10, [1, 9, 9], [1, 5, 4]],
  [20, [1, 1, 1, 1, 6, 20], [1, 1, 1, 1, 6, 10]],
  [5, [2, 1], [2, 1]],
  [2, [9, 9, 9], [1, 1, 0]],
  [7, [Infinity, 2], [5, 2]],
  [0, [1], [0]],
  [3, [], []],
])(
  'of %i, those who need %j get %j: what one does not need goes to the others, a remainder to the first',
  (total, needs, given) => {
    const parties = needs.map((need) => ({ need }));
    expect([...shares(total, parties, ({ need }) => need).values()]).toEqual(given);
  },
);

it.each<[forms: number, each: number, known: number]>([
  [1, 100_000, 2_000],
  [10, 2_000, 2_000],
  [15, 2_000, 1_334],
  [2_000, 100, 20],
])('of %i form(s) with %i IDs each, %i are remembered of each', (forms, each, known) => {
  expect(maxKnownOf(Array.from({ length: forms }, () => each))).toBe(known);
});

it('a form with few IDs leaves the rest to the others', () => {
  expect(maxKnownOf([100, ...Array.from({ length: 15 }, () => 2_000)])).toBe(1_327);
});
