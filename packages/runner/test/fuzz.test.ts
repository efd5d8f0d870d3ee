// Damaged files and requests, the same in every run of the tests; benchmarks/fuzz.ts reads a million.
import { isExhaustive } from '@bowyer/testing';
import { fuzz } from './fuzz/fuzz.js';
import { targets } from './fuzz/targets.js';

/** All inputs together, if all were as fast. */
const INPUTS = isExhaustive() ? 5_000 : 750;
const COUNT = Math.ceil(INPUTS / Object.keys(targets).length);
/** Returns how many inputs a target gets: a schema takes a tenth of a second of CPU time. */
const countOf = (target: string) => (target === 'schemas of answers' ? Math.ceil(COUNT / 8) : COUNT);

test.each(Object.keys(targets))(
  '%s: damaged inputs are read or refused in words',
  async (target) => {
    const { findings, accepted } = await fuzz(target, countOf(target));
    expect(findings.map(({ problem, seed }) => `seed ${seed}: ${problem}`)).toEqual([]);
    expect(accepted).toBeLessThan(countOf(target));
  },
  180_000,
);
