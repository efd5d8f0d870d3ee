// A chat model learns a game from conversations and then plays it through the same template.
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { chatTemplate, LanguageModel, templateTokens, wordLevelTokenizer, type ChatMessage } from '@bowyer/models';
import { ChatPlayer, conversationBc, evaluate, tokenExamples } from '../src/index.js';
import { colours, EchoGame } from './echo-game.js';

let device: Device;
let policy: LanguageModel;
const words = [
  'system\nuser\nassistant\nYou are a helpful assistant',
  'show\nno\nyes',
  ...colours,
  ` ${colours.join(' ')}`,
];
const tokenizer = wordLevelTokenizer(words, { wholeTokens: templateTokens('chatml') });
const template = chatTemplate('chatml', tokenizer);
const opening: ChatMessage[] = [
  { role: 'user', content: 'show' },
  { role: 'assistant', content: 'yes', loss: false },
];
const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  const config = { model_type: 'gpt2', n_layer: 2, n_head: 4, n_embd: 64, n_positions: 128 };
  policy = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
});
afterAll(() => device.close());

test('the loss falls, and the model that has learnt it plays the game through its template', async () => {
  const conversations = colours.map((colour) =>
    template.encodeConversation([
      ...opening,
      { role: 'user', content: `show ${colour}` },
      { role: 'assistant', content: colour },
    ]),
  );
  await policy.createOptimizer(adam);
  const losses: number[] = [];
  await conversationBc(
    {
      policy,
      conversations,
      progress: () => {},
      onEpoch: async (_, { 'losses/nll': nll }) => void losses.push(nll),
    },
    { seed: 0, epochs: 400, batchSize: 3, lr: 3e-3, warmupSteps: 0, finalLrShare: 1, maxGradNorm: 1 },
  );
  // At first as good as any word; the reply and its end are two tokens each.
  expect(losses[0]).toBeGreaterThan(2);
  expect(losses.at(-1)).toBeLessThan(0.05);

  const { metrics, trajectories } = await evaluate(
    { makeEnv: () => new EchoGame(), hooks: { progress: () => {} } },
    (sampling) => ChatPlayer.open(policy, { slots: 4, sampling, template, opening }),
    {
      ...{ seed: 3, slots: 4, evalSize: 12, evalDoSample: false },
      sampling: { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 4, terminatorIds: [] },
    },
  );
  expect(metrics['eval/win_rate']).toBe(1);
  const [{ transitions, segments }] = trajectories;
  const messages: ChatMessage[] = [...opening, { role: 'user', content: transitions[0].observation.trim() }];
  expect(segments).toEqual([
    {
      ids: [...template.encodePrompt(messages), ...tokenizer.encode(transitions[0].action)],
      utterances: [expect.objectContaining({ ids: tokenizer.encode(transitions[0].action) })],
    },
  ]);
}, 30_000);

test('later turns are later messages, and what was sampled scores as it was sampled', async () => {
  const player = await ChatPlayer.open(policy, {
    ...{ slots: 1, template, opening: [] },
    sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 3, terminatorIds: [] },
  });
  const rng = new Rng(8);
  const said: string[] = [];
  let observation = 'show red';
  for (let turn = 0; turn < 3; turn++) {
    const [action] = await player.act([{ slot: 0, turn, observation, rng }]);
    said.push(action);
    observation = `${observation}${action} no`;
  }
  const segments = player.takeSegments(0);
  await player.close();
  expect(segments.flatMap(({ utterances }) => utterances.map(({ turn }) => turn))).toEqual([0, 1, 2]);
  const last = template.encodePrompt([
    { role: 'user', content: 'show red' },
    { role: 'assistant', content: said[0] },
    { role: 'user', content: 'no' },
    { role: 'assistant', content: said[1] },
    { role: 'user', content: 'no' },
  ]);
  const { ids, utterances } = segments.at(-1)!;
  expect(ids.slice(0, utterances.at(-1)!.start)).toEqual(last);

  const trajectory = { segments };
  const examples = tokenExamples(
    [0, 1, 2].map((turn) => ({ trajectory, turn, weight: 1 })),
    { scoreTerminator: true },
  );
  const scored = (await policy.logprobs(examples)).flatMap((row, i) =>
    [...row].filter((_, t) => examples[i].weights[t] !== 0),
  );
  const sampled = segments.flatMap((segment) => segment.utterances.flatMap(({ logprobs }) => logprobs));
  expect(scored).toHaveLength(sampled.length);
  scored.forEach((logprob, i) => expect(logprob).toBeCloseTo(sampled[i], 4));
});
