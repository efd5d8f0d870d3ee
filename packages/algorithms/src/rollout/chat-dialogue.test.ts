// Tests a chat model that learns a game from conversations, and then plays it with the same template.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { chatTemplate, templateTokens, wordLevelTokenizer, type ChatMessage } from '@bowyer/text';
import {
  bc,
  chatDialogues,
  evaluate,
  PolicyPlayer,
  segmentsOf,
  packTurns,
  trainingRun,
  type TurnTokens,
} from '../index.js';
import { colours, EchoGame } from '../../test/echo-game.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
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

const config = { model_type: 'gpt2', n_layer: 2, n_head: 4, n_embd: 64, n_positions: 128 };
const policy = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
afterAll(() => device.close());

test('the loss falls, and the trained model plays the game through its template', async () => {
  const conversations = colours.flatMap((colour) =>
    template.encodeConversation([
      ...opening,
      { role: 'user', content: `show ${colour}` },
      { role: 'assistant', content: colour },
    ]),
  );
  await policy.createOptimizer(adam);
  const losses: number[] = [];
  await bc.train(
    trainingRun({
      policy,
      dataset: { kind: 'conversations', conversations },
      hooks: { log: async (_, metrics) => void losses.push(metrics['losses/nll']) },
    }),
    {
      seed: 0,
      slots: 1,
      epochs: 400,
      batch: { size: 3 },
      actor: { lr: 3e-3 },
      sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 4, terminatorIds: [] },
    },
  );
  // At first all words are about equally likely. The reply and its end are two tokens each.
  expect(losses[0]).toBeGreaterThan(2);
  expect(losses.at(-1)).toBeLessThan(0.05);

  const { metrics, trajectories } = await evaluate(
    { makeEnv: () => new EchoGame(), hooks: { progress: () => {} } },
    (sampling) => PolicyPlayer.open(policy, 4, sampling, chatDialogues(tokenizer, { template, opening })),
    {
      seed: 3,
      slots: 4,
      eval: { size: 12, decoding: 'greedy' },
      sampling: { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 4, terminatorIds: [] },
    },
  );
  expect(metrics['eval/win_rate']).toBe(1);
  const [{ transitions, segments }] = trajectories;
  const messages: ChatMessage[] = [...opening, { role: 'user', content: transitions[0].observation.trim() }];
  expect(segments).toEqual([
    {
      ids: [...template.encodePrompt(messages), ...tokenizer.encode(transitions[0].action)],
      utterances: [
        expect.objectContaining({ ids: [...tokenizer.encode(transitions[0].action), ...template.terminatorIds] }),
      ],
    },
  ]);
});

async function threeTurns(dialogues: ReturnType<typeof chatDialogues>) {
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 3, terminatorIds: [] };
  const player = await PolicyPlayer.open(policy, 1, sampling, dialogues);
  const rng = new Rng(8);
  const said: string[] = [];
  const turns: TurnTokens[] = [];
  let observation = 'show red';
  for (let turn = 0; turn < 3; turn++) {
    const [{ action, data }] = await player.act([{ slot: 0, turn, observation, rng }]);
    said.push(action);
    turns.push(data);
    observation = `${observation}${action} no`;
  }
  await player.close();
  return { said, segments: segmentsOf(turns) };
}

async function expectScoresAsSampled(segments: ReturnType<typeof segmentsOf>): Promise<void> {
  const { examples } = packTurns(
    [0, 1, 2].map((turn) => ({ trajectory: { segments }, turn, weight: 1 })),
    { scoreTerminator: true },
  );
  const scored = (await policy.logprobs(examples)).flatMap((row, i) =>
    [...row].filter((_, t) => examples[i].weights[t] !== 0),
  );
  const sampled = segments.flatMap((segment) => segment.utterances.flatMap(({ logprobs }) => logprobs));
  expect(scored).toHaveLength(sampled.length);
  scored.forEach((logprob, i) => expect(logprob).toBeCloseTo(sampled[i], 4));
}

test('later turns are later messages, and what was sampled scores as it was sampled', async () => {
  const { said, segments } = await threeTurns(chatDialogues(tokenizer, { template, opening: [] }));
  // There is one segment, to which each turn added its new tokens.
  expect(segments.map(({ utterances }) => utterances.map(({ turn }) => turn))).toEqual([[0, 1, 2]]);
  const last = template.encodePrompt([
    { role: 'user', content: 'show red' },
    { role: 'assistant', content: said[0] },
    { role: 'user', content: 'no' },
    { role: 'assistant', content: said[1] },
    { role: 'user', content: 'no' },
  ]);
  const { ids, utterances } = segments.at(-1)!;
  expect(ids.slice(0, utterances.at(-1)!.start)).toEqual(last);
  await expectScoresAsSampled(segments);
});

test('a template that rewrites earlier messages: the dialogue is read again, reported once, and scored as it was sampled', async () => {
  // This template keeps only the first letter of earlier replies.
  const forgetful = chatTemplate(
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + (m.content if m.role == 'user' or loop.last else m.content[:1]) + '<|im_end|>' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
    tokenizer,
  );
  let reports = 0;
  const dialogues = chatDialogues(tokenizer, { template: forgetful, opening: [], onRewritten: () => reports++ });
  const { segments } = await threeTurns(dialogues);
  expect(reports).toBe(1);
  expect(segments.map(({ utterances }) => utterances.map(({ turn }) => turn))).toEqual([[0], [1], [2]]);
  await expectScoresAsSampled(segments);
});

test.each([
  ['a history that continues', 'show red', (said: string) => `show red${said} no`, 'no'],
  ['a history that keeps the first line', 'show red', (said: string) => `show red${said.split('\n')[0]} no`, 'no'],
  ['an observation that stands alone', 'show red', () => 'show yes', 'show yes'],
  ['the same observation again', 'show red', () => 'show red', 'show red'],
])('%s: the next message is what is new', (_, observation, next, news) => {
  const dialogue = chatDialogues(tokenizer, { template, opening: [] }).open();
  const first = dialogue.advance({ turn: 0, observation }, []).tokens;
  const ids = tokenizer.encode('red\nyes\n');
  const said = { ids, terminated: false, logprobs: ids.map(() => -1) };
  const { action } = dialogue.decide(said, first.length);
  const held = [...first, ...ids];
  const { keep, tokens } = dialogue.advance({ turn: 1, observation: next(action) }, held);
  expect(keep).toBe(held.length);
  const messages: ChatMessage[] = [
    { role: 'user', content: observation },
    { role: 'assistant', content: action },
    { role: 'user', content: news },
  ];
  expect(tokens).toEqual(template.encodeContinuation(messages, 2));
  expect(template.encodePrompt(messages).slice(-tokens.length)).toEqual(tokens);
});
