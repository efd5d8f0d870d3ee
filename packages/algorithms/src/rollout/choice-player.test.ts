import { hash32, Rng, tokenMaskOf, type TokenMask } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type SamplingOptions } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { policyPlayer } from './policy-player.js';
import type { ActionChoice } from './dialogue.js';
import { textDialogues } from './text-dialogue.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const observation = 'You see a red coin and a door.\n';
const validActions = ['take red coin', 'take red', 'open door', 'fly'];
const tokenizer = wordLevelTokenizer([observation, 'take red coin', 'open door', '\n'], { wholeTokens: [] });
const terminator = tokenizer.encode('\n')[0];
const sampling: SamplingOptions = {
  temperature: 1,
  topK: 0,
  topP: 1,
  greedy: false,
  maxNewTokens: 8,
  terminatorIds: [terminator],
};

const makePolicy = () =>
  LanguageModel.create({
    device,
    tokenizer,
    maskedTokenIds: [tokenizer.tokenToId('<unk>')!], // the policy cannot write "fly"
    rng: new Rng(1),
    config: { model_type: 'gpt2', vocab_size: tokenizer.vocabSize, n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64 },
  });

async function play(policy: LanguageModel, actionChoice: ActionChoice, slots: number, greedy = false) {
  const dialogues = { ...textDialogues(tokenizer), actionChoice };
  const player = await policyPlayer({ policy, dialogues }, { slots })({ ...sampling, greedy });
  const rngs = Array.from({ length: slots }, (_, slot) => new Rng(hash32(`${slot}`)));
  const requests = rngs.map((rng, slot) => ({ slot, turn: 0, observation, validActions, rng }));
  const decisions = await player.act(requests);
  await player.close();
  return decisions.map((decision) => {
    if (decision instanceof Error) throw decision;
    return { action: decision.action, tokens: decision.data! };
  });
}

/** log π of an action with its end. `masks`: for each token, the tokens from which it is chosen. */
async function score(policy: LanguageModel, action: string, masks?: readonly (TokenMask | null)[]): Promise<number[]> {
  const [seen, ids] = [tokenizer.encode(observation), [...tokenizer.encode(action), terminator]];
  const all = [...seen, ...ids];
  const weights = new Float32Array(all.length - 1).fill(1, seen.length - 1);
  const [logprobs] = await policy.logprobs([
    {
      ids: Int32Array.from(all.slice(0, -1)),
      targets: Int32Array.from(all.slice(1)),
      weights,
      tokenMasks: masks && [...Array<undefined>(seen.length - 1), ...masks],
    },
  ]);
  return [...logprobs.slice(seen.length - 1)];
}

test('scored: actions have the frequencies of the softmax of their log-probabilities; one that cannot be written never occurs', async () => {
  const policy = await makePolicy();
  const written = validActions.slice(0, 3);
  const scores = await Promise.all(written.map((action) => score(policy, action)));
  const weights = scores.map((own) => Math.exp(own.reduce((a, b) => a + b)));
  const total = weights.reduce((a, b) => a + b);
  const said = await play(policy, 'scored', 300);
  written.forEach((action, i) => {
    const share = said.filter((one) => one.action === action).length / said.length;
    expect(Math.abs(share - weights[i] / total)).toBeLessThan(0.09); // three standard errors of 300 draws
  });
  const [best] = await play(policy, 'scored', 1, true);
  expect(best.action).toBe(written[weights.indexOf(Math.max(...weights))]);
  await policy.release();
});

test.each(['scored', 'constrained'] as const)(
  '%s: the tokens and log-probabilities are those that training scores',
  async (choice) => {
    const policy = await makePolicy();
    for (const { action, tokens } of await play(policy, choice, 12)) {
      expect(validActions.slice(0, 3)).toContain(action);
      expect(tokens).toMatchObject({ ids: [...tokenizer.encode(action), terminator], terminated: true });
      const expected = await score(policy, action, tokens.tokenMasks);
      tokens.logprobs.forEach((logprob, i) => expect(logprob).toBeCloseTo(expected[i], 4));
    }
    await policy.release();
  },
);

test('constrained: the tokens that each was chosen among are those with which a valid action continues', async () => {
  const policy = await makePolicy();
  const sets = new Map(
    (await play(policy, 'constrained', 30)).map(({ action, tokens }) => [action, tokens.tokenMasks]),
  );
  const [[take, red, coin], [open, door]] = ['take red coin', 'open door'].map((text) => tokenizer.encode(text));
  expect(Object.fromEntries(sets)).toEqual({
    'take red coin': [[take, open], [red], [coin, terminator], [terminator]].map(tokenMaskOf),
    'take red': [[take, open], [red], [coin, terminator]].map(tokenMaskOf),
    'open door': [[take, open], [door], [terminator]].map(tokenMaskOf),
  });
  await policy.release();
});

test('constrained: greedy takes the most likely allowed token each time, even where another action is likelier', async () => {
  const policy = await makePolicy();
  const [first, take] = [(await score(policy, 'open door'))[0], (await score(policy, 'take red'))[0]];
  const [{ action }] = await play(policy, 'constrained', 1, true);
  expect(action.split(' ')[0]).toBe(first > take ? 'open' : 'take');
  await policy.release();
});

test('likelihood: the text alone counts after a space, per character where that is asked for, as worked by the scorer', async () => {
  const policy = await makePolicy();
  const asked = 'You see a red';
  const answers = ['a', 'coin and a door'];
  const sums = await Promise.all(
    answers.map(async (answer) => {
      const [seen, all] = [tokenizer.encode(asked), tokenizer.encode(`${asked} ${answer}`)];
      expect(all.slice(0, seen.length)).toEqual(seen);
      const weights = new Float32Array(all.length - 1).fill(1, seen.length - 1);
      const example = { ids: Int32Array.from(all.slice(0, -1)), targets: Int32Array.from(all.slice(1)), weights };
      const [logprobs] = await policy.logprobs([example]);
      return logprobs.slice(seen.length - 1).reduce((a, b) => a + b);
    }),
  );
  const perCharacter = sums.map((sum, i) => sum / answers[i].length);
  for (const [choice, scores] of [
    ['likelihood', sums],
    ['likelihood_per_character', perCharacter],
  ] as const) {
    const dialogues = { ...textDialogues(tokenizer), actionChoice: choice };
    const player = await policyPlayer({ policy, dialogues }, { slots: 1 })({ ...sampling, greedy: true });
    const request = { slot: 0, turn: 0, observation: asked, validActions: answers, rng: new Rng(0) };
    const [decision] = await player.act([request]);
    expect((decision as { action: string }).action).toBe(answers[scores.indexOf(Math.max(...scores))]);
    await player.close();
  }
  // A longer text has a lower total likelihood and a higher one per character here, so that the two criteria differ.
  expect(sums.indexOf(Math.max(...sums))).not.toBe(perCharacter.indexOf(Math.max(...perCharacter)));
  await policy.release();
});

test('without a valid action that can be written the episode fails', async () => {
  const policy = await makePolicy();
  const dialogues = { ...textDialogues(tokenizer), actionChoice: 'scored' as const };
  const player = await policyPlayer({ policy, dialogues }, { slots: 1 })(sampling);
  const [error] = await player.act([{ slot: 0, turn: 0, observation, validActions: ['fly'], rng: new Rng(0) }]);
  expect(error).toEqual(new Error('there is no valid action that the policy can write (turn 0)'));
  await policy.release();
});

test.each(['scored', 'constrained'] as const)(
  '%s: where the environment lists an empty set, any text may be valid: the policy writes freely, and chooses again afterwards',
  async (choice) => {
    const policy = await makePolicy();
    const turns = async (actionChoice: ActionChoice, lists: readonly string[][]) => {
      const dialogues = { ...textDialogues(tokenizer), actionChoice };
      const player = await policyPlayer({ policy, dialogues }, { slots: 1 })(sampling);
      const rng = new Rng(4);
      const decisions = [];
      let seen = '';
      for (const [turn, list] of lists.entries()) {
        seen += observation;
        const [decision] = await player.act([{ slot: 0, turn, observation: seen, validActions: list, rng }]);
        if (decision instanceof Error) throw decision;
        seen += `${decision.action}\n`;
        decisions.push({ action: decision.action, ...decision.data! });
      }
      await player.close();
      return decisions;
    };
    const [written, chosen] = await turns(choice, [[], validActions]);
    const [free] = await turns('free', [[]]);
    expect(written).toEqual(free);
    expect(validActions.slice(0, 3)).toContain(chosen.action);
    expect(chosen).toMatchObject({ continues: true, read: [terminator, ...tokenizer.encode(observation)] });
    await policy.release();
  },
);

test.each(['free', 'constrained', 'scored', 'likelihood'] as const)(
  'a policy whose weights a step has ruined is named, and says nothing: %s',
  async (actionChoice) => {
    const policy = await makePolicy();
    const optimizer = await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
    const ids = Int32Array.from(tokenizer.encode(observation));
    const example = { ids: ids.slice(0, -1), targets: ids.slice(1), weights: new Float32Array(ids.length - 1).fill(1) };
    for (let step = 0; step < 2; step++) {
      await policy.accumulateGradients([example]);
      await optimizer.step({ lr: 1e38, maxGradNorm: 1 });
    }
    await expect(play(policy, actionChoice, 2)).rejects.toThrow(
      /has NaN as the log-probability[^]*a smaller learning rate/,
    );
    await policy.release();
  },
);
