// Makes a language model from scratch: a small GPT-2 learns three sentences, and then writes samples.
//   node --conditions=source --import tsx examples/3-clone-and-sample.ts
import { bc, demonstrationTrajectory, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';

const demonstrations = [
  { opening: 'the sky is', turns: [{ action: ' blue', reply: '\n' }] },
  { opening: 'the grass is', turns: [{ action: ' green', reply: '\n' }] },
  { opening: 'the night is', turns: [{ action: ' dark and full of stars', reply: '\n' }] },
];
const texts = demonstrations.map(
  ({ opening, turns }) => opening + turns.map(({ action, reply }) => action + reply).join(''),
);
const tokenizer = wordLevelTokenizer(texts);
const [newline] = tokenizer.encode('\n');

const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 32, n_positions: 16 };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(0) });
  await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 8, terminatorIds: [newline] };
  const dataset = demonstrations.map((demonstration, episode) =>
    demonstrationTrajectory(demonstration, { tokenizer, terminatorId: newline, episode }),
  );
  await bc.train(
    trainingRun({
      policy,
      dataset: { kind: 'episodes', episodes: dataset },
      hooks: {
        log: async (step, { 'losses/nll': nll }) => {
          if (step % 20 === 0) console.log(`step ${step}: ${nll.toFixed(3)} nats an utterance`);
        },
      },
    }),
    {
      seed: 0,
      epochs: 61,
      batch: { size: 3 },
      actor: { lr: 1e-2, schedule: { warmupSteps: 5, finalShare: 0.1 } },
      slots: 1,
      sampling,
    },
  );

  const episodes = await policy.openEpisodes({ slots: demonstrations.length });
  const said = await episodes.act(
    demonstrations.map(({ opening }, slot) => ({ slot, tokens: tokenizer.encode(opening), rng: new Rng(slot) })),
    sampling,
  );
  said.forEach(({ ids }, i) => console.log(demonstrations[i].opening + tokenizer.decode(ids)));
} finally {
  await device.close();
}
