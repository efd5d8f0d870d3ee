// Tests readers and servers with damaged files and requests, the same ones in every run of the tests. benchmarks/fuzz.ts reads a
// million.
import { isExhaustive } from '@bowyer/testing';
import { fuzz } from './fuzz/fuzz.js';
import { targets } from './fuzz/targets.js';

/** The number of inputs of all targets, if all were equally fast. */
const INPUTS = isExhaustive() ? 5_000 : 750;
const COUNT = Math.ceil(INPUTS / Object.keys(targets).length);
/** Targets with fewer inputs: a schema takes a tenth of a second of CPU time, and a table that has no end takes three. */
const SLOW = ['schemas of answers', 'Parquet'];
/** Returns the number of inputs of a target. */
const countOf = (target: string) => (SLOW.includes(target) ? Math.ceil(COUNT / 8) : COUNT);

test.each(Object.keys(targets))(
  '%s: damaged inputs are read or refused in words',
  async (target) => {
    const { findings, accepted } = await fuzz(target, countOf(target));
    expect(findings.map(({ problem, seed }) => `seed ${seed}: ${problem}`)).toEqual([]);
    expect(accepted).toBeLessThan(countOf(target));
  },
  180_000,
);
