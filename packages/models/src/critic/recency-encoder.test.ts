import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { wordLevelTokenizer } from '@bowyer/text';
import type { CriticEncoder } from './critic-encoder.js';
import { DoubleCritic } from './double-critic.js';
import { LineBatcher } from './line-batch.js';
import { LineEncoder } from './line-encoder.js';
import { RecencyEncoder } from './recency-encoder.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/**
 * Two observations that have the same lines in different orders. The key is behind the door that was opened last, so that the
 * value depends on the order.
 */
const observations = ['open red door\nopen blue door\nok\n', 'open blue door\nopen red door\nok\n'];
const actions = ['go red', 'go red'];
const targets = Float32Array.of(-1, 1);
const tokenizer = wordLevelTokenizer([...observations, ...actions], { wholeTokens: [] });
const optimizer = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

async function learned(encoder: CriticEncoder): Promise<number[]> {
  const critic = await DoubleCritic.create({ device, encoder, rng: new Rng(0), outputBias: 0, optimizer });
  for (let step = 0; step < 60; step++) {
    const batch = { q1Targets: targets, q2Targets: targets, v1Targets: targets, v2Targets: targets };
    await critic.accumulateGradients({ observations, actions, ...batch });
    await critic.optimizer.step({ lr: 3e-3, maxGradNorm: 10 });
  }
  const { q1 } = await critic.evaluate(observations, actions, 'online');
  await critic.release();
  return [...q1];
}

test('learns what the order of lines decides, which a sum over lines cannot', async () => {
  const [before, after] = await learned(new RecencyEncoder(tokenizer, 16));
  expect(before).toBeCloseTo(-1, 1);
  expect(after).toBeCloseTo(1, 1);
  const [one, other] = await learned(new LineEncoder(tokenizer, 16));
  expect(one).toBeCloseTo(other, 5);
});

test('a line that occurs twice counts decay^n for the n lines behind each of its places', () => {
  const [{ batch }] = new LineBatcher(tokenizer).batches(['ok\nopen red door\nok\n'], null, [0, 0.5]);
  const { decayedCounts, lineCounts, sizes } = batch;
  expect([...lineCounts.slice(0, 2)]).toEqual([2, 1]);
  expect([...decayedCounts[0].slice(0, 2)]).toEqual([1, 0]);
  expect([...decayedCounts[1].slice(0, 2)]).toEqual([0.25 + 1, 0.5]);
  expect(decayedCounts[1]).toHaveLength(sizes.observations * sizes.lines);
});
