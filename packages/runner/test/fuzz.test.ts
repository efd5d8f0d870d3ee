// Damaged files and requests, the same in every run of the tests; benchmarks/fuzz.ts reads a million.
import { fuzz } from './fuzz/fuzz.js';
import { targets } from './fuzz/targets.js';

/** Five thousand in all. */
const COUNT = Math.ceil(5_000 / Object.keys(targets).length);

test.each(Object.keys(targets))(
  '%s: damaged inputs are read or refused in words',
  async (target) => {
    const { findings, accepted } = await fuzz(target, COUNT);
    expect(findings.map(({ problem, seed }) => `seed ${seed}: ${problem}`)).toEqual([]);
    expect(accepted).toBeLessThan(COUNT);
  },
  180_000,
);
