// Tests readers and servers with damaged files and requests, the same ones in every run of the tests. A million others:
//   cd packages/runner && INPUTS=1000000 FIRST_SEED=100000 npm test -- test/fuzz.test.ts
import { isExhaustive } from '@bowyer/testing';
import { fuzz } from './fuzz/fuzz.js';
import { targets } from './fuzz/targets.js';

/** The number of inputs of all targets, if all were equally fast. */
const INPUTS = Number(process.env.INPUTS ?? (isExhaustive() ? 5_000 : 750));
const FIRST_SEED = Number(process.env.FIRST_SEED ?? 1);
const COUNT = Math.ceil(INPUTS / Object.keys(targets).length);
/** Targets with fewer inputs: a schema takes a tenth of a second of CPU time, and a table that has no end takes three. */
const SLOW = ['schemas of answers', 'Parquet'];
/** Returns the number of inputs of a target. */
const countOf = (target: string) => (SLOW.includes(target) ? Math.ceil(COUNT / 8) : COUNT);

test.each(Object.keys(targets))(
  '%s: damaged inputs are read or refused in words',
  async (target) => {
    const { findings, accepted } = await fuzz(target, countOf(target), FIRST_SEED);
    expect(findings).toEqual([]);
    expect(accepted).toBeLessThan(countOf(target));
  },
  Math.max(180_000, 100 * COUNT),
);
