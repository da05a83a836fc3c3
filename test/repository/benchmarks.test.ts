import { type Figure, figureTable, missedTargets } from '../../benchmarks/report.ts';

const FIGURES: Figure[] = [
  { name: 'no target', values: [7] },
  { name: 'the median is the target', unit: 'ms', values: [90, 35, 1], atMost: 35 },
  { name: 'the median is above', unit: '', values: [36, 35.1, 1], atMost: 35 },
  { name: 'just enough', values: [4.8], atLeast: 4.8 },
  { name: 'the median is below', values: [9, 4.79, 4.7], atLeast: 4.8 },
  { name: 'nothing was measured', values: [], atMost: 1 },
];

it('a benchmark misses its target by its median, and when nothing was measured', () => {
  expect(missedTargets(FIGURES)).toEqual(['the median is above', 'the median is below', 'nothing was measured']);
  expect(missedTargets(FIGURES.slice(0, 2))).toEqual([]);
});

it('the table of the benchmarks says of each figure what was measured, and whether that meets the target', () => {
  expect(figureTable(FIGURES).split('\n')).toEqual([
    '| Figure | Measured | Target |  |',
    '| --- | --- | --- | --- |',
    '| no target | 7 × |  |  |',
    '| the median is the target | 35 ms (1–90) | at most 35 | met |',
    '| the median is above | 35.1 (1–36) | at most 35 | **not met** |',
    '| just enough | 4.8 × | at least 4.8 | met |',
    '| the median is below | 4.79 × (4.7–9) | at least 4.8 | **not met** |',
    '| nothing was measured | NaN × | at most 1 | **not met** |',
  ]);
});
