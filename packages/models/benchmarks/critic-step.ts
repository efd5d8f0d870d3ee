// How long one step of the built-in line critic takes: 32 replayed Twenty-Questions episodes, forward, backward, Adam, Polyak.
// Run from the repository root: node --conditions=source --import tsx packages/models/benchmarks/critic-step.ts
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { DoubleCritic, type CriticBatch } from '../src/critic/double-critic.js';
import { LineEncoder } from '../src/critic/line-encoder.js';
import { wordLevelTokenizer } from '@bowyer/text';

const steps = 300;
const episodesPerStep = 32;
const answers = [' Yes.\n', ' No.\n', ' Invalid Question.\n'];
const things = ['football', 'dog', 'banana', 'truck', 'pants', 'computer', 'piano', 'chair', 'pen', 'scissors'];
const properties = [
  'alive',
  'big',
  'made of metal',
  'used in a kitchen',
  'worn',
  'electric',
  'edible',
  'loud',
  'sharp',
  'soft',
];
const questions = [
  ...things.map((word) => `is it a ${word} ?`),
  ...properties.flatMap((word) => [`is it ${word} ?`, `would you call it ${word} ?`]),
];

/** All transitions of 32 episodes of 1 to 13 turns. */
function episodes(rng: Rng): CriticBatch {
  const observations: string[] = [];
  const actions: string[] = [];
  for (let episode = 0; episode < episodesPerStep; episode++) {
    let history = 'Questions:\n';
    for (let turn = rng.integer(1, 13); turn > 0; turn--) {
      const action = rng.choice(questions);
      observations.push(history);
      actions.push(action);
      history += action + rng.choice(answers);
    }
  }
  const targets = new Float32Array(observations.length).fill(-3);
  return { observations, actions, q1Targets: targets, q2Targets: targets, v1Targets: targets, v2Targets: targets };
}

const device = await openDevice({ device: 'cpu', threads: 2 });
try {
  const tokenizer = wordLevelTokenizer(['Questions:\n', ...questions], { wholeTokens: answers });
  const rng = new Rng(0);
  const optimizer = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  const critic = await DoubleCritic.create({
    device,
    encoder: new LineEncoder(tokenizer, 64),
    rng,
    outputBias: -5,
    optimizer,
  });
  const batches = Array.from({ length: steps }, () => episodes(rng));
  const milliseconds = [];
  for (const batch of batches) {
    const start = performance.now();
    await critic.accumulateGradients(batch);
    await critic.optimizer.step({ lr: 3e-3, maxGradNorm: 10 });
    await critic.polyak(0.1);
    milliseconds.push(performance.now() - start);
  }
  const evaluation = performance.now();
  for (const { observations, actions } of batches) await critic.evaluate(observations, actions, 'target');
  const sorted = milliseconds.sort((a, b) => a - b);
  const transitions = batches.reduce((sum, { actions }) => sum + actions.length, 0) / steps;
  console.log(
    [
      `weights           ${critic.size}, vocabulary ${tokenizer.vocabSize}`,
      `transitions       ${transitions.toFixed(0)} a step`,
      `step              median ${sorted[steps / 2].toFixed(1)} ms, nine in ten under ${sorted[steps * 0.9].toFixed(1)} ms`,
      `evaluation        ${((performance.now() - evaluation) / steps).toFixed(1)} ms for as many`,
    ].join('\n'),
  );
} finally {
  await device.close();
}
