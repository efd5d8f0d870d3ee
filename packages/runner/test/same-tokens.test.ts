// Tests that an episode has the same tokens as a demonstration, in a rollout, in an evaluation, and through the model's server;
// as text and as a chat; with an environment in this process and with one that task=serve_env serves.
import {
  chatDialogues,
  collect,
  demonstrationSegments,
  evaluate,
  policyPlayer,
  textDialogues,
  type Dialogues,
} from '@bowyer/algorithms';
import { demonstrationSetOf, Rng, type TokenSegment, type Trajectory } from '@bowyer/core';
import { makeEnv, type Env } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { chatTemplate, templateTokens, wordLevelTokenizer } from '@bowyer/text';
import { serveEnv } from '@bowyer/serving';
import {
  agentEnvironment,
  contextOf,
  demonstrationsIn,
  type ContextConfig,
} from '../src/agent/context/agent-context.js';
import { asConversations } from '../src/agent/demonstrations/imitation-data.js';
import { openRemoteRollouts } from '../src/agent/play/remote-rollouts.js';
import { learnedPieces, recordedEpisode, writtenPieces } from './recorded-episode.js';
import { servePolicy } from './served-policy.js';

interface Game {
  config: ContextConfig;
  /** Makes an environment that plays the same episode for every seed and split. */
  env: () => Env;
  /** Makes the same game in this process, where demonstrations are made. */
  expertEnv: () => Env;
  close?: () => Promise<void>;
}

const always = (env: Env, options: object): Env => ({
  reset: () => env.reset(options),
  step: (action) => env.step(action),
  close: () => env.close(),
});

const games: Record<string, () => Promise<Game>> = {
  'an environment of this process': async () => {
    const env = () => always(makeEnv('tabular', { maxSteps: 4 }), { seed: 7 });
    return { config: { env: { name: 'tabular' }, context: { kind: 'auto' } }, env, expertEnv: env };
  },
  'a served environment': async () => {
    const maze = { observation: 'full', reward: 'agentgym', maxSteps: 4 };
    const server = await serveEnv({
      name: 'maze',
      options: maze,
      parts: {},
      host: '127.0.0.1',
      port: 0,
      maxInstances: 4,
      idleMs: 60_000,
      onFault: () => {},
    });
    const served = { backend: 'agentgym', baseUrl: server.url, maxSteps: 4 };
    return {
      config: { env: { name: 'maze', ...served }, context: { kind: 'auto' } },
      env: () => always(makeEnv('maze', served), { dataIdx: 3 }),
      expertEnv: () => always(makeEnv('maze', maze), { game: 3 }),
      close: () => server.close(),
    };
  },
};

const words =
  'gate\nshore\nhall\nbridge\ntower\nend\nleft\nright\nwait\n user\nassistant\n left right wait\n' +
  'The goal is at position 8, 6. Your current position There are walls above you, below to your.\nFailure\n';
const tokenizer = wordLevelTokenizer([words], { wholeTokens: templateTokens('chatml'), minCount: 1 });
const [left, right, wait] = ['left', 'right', 'wait'].map((action) => tokenizer.encode(action)[0]);
const newline = tokenizer.encode('\n')[0];
const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => ![left, right, wait].includes(id),
);
const template = chatTemplate('chatml', tokenizer);
const isDialogue = ({ config }: Game): boolean => contextOf(config).kind === 'dialogue';

const dialoguesAs = (form: string, game: Game): Dialogues =>
  form === 'text'
    ? textDialogues(tokenizer)
    : chatDialogues(tokenizer, { template, opening: [], isSingleMessage: !isDialogue(game) });

/** Returns the tokens that are read, and the positions of those that the policy wrote. */
const tokensOf = (segments: readonly TokenSegment[]) =>
  segments.map((segment) => ({ ids: segment.ids, written: writtenPieces(segment) }));

/** Returns the tokens of a demonstration up to the last one that a player would have read or written. */
async function demonstrated(game: Game, form: string, { transitions, segments }: Trajectory) {
  const actions = transitions.map(({ action }) => action);
  const record = await recordedEpisode(game.expertEnv(), actions);
  const [demonstration] = await demonstrationsIn(game.config, demonstrationSetOf([record]), null);
  if (form === 'text') return tokensOf(demonstrationSegments(demonstration, tokenizer, newline));
  const encoded = asConversations(demonstration, isDialogue(game)).flatMap((messages) =>
    template.encodeConversation(messages),
  );
  return encoded.map(({ ids, lossMask }, i) => ({
    ids: ids.slice(0, segments[i].ids.length),
    written: learnedPieces(ids, lossMask),
  }));
}

const cases = Object.keys(games).flatMap((name) => [
  [name, 'text'],
  [name, 'chat'],
]);

test.each(cases)('%s, as %s: demonstration, rollout, evaluation and server of the model', async (name, form) => {
  const game = await games[name]();
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  const shape = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 256 };
  const policy = await LanguageModel.create({ device, config: shape, tokenizer, maskedTokenIds, rng: new Rng(3) });
  const server = await servePolicy(policy);
  try {
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 1, terminatorIds: [newline] };
    const agent = { policy, dialogues: dialoguesAs(form, game), slots: 1 };
    const run = { makeEnv: agentEnvironment(game.config, game.env, null), hooks: { progress: () => {} } };
    const openPlayer = policyPlayer(agent, agent);
    const play = { seed: 1, slots: 1, sampling };
    const [rollout] = await collect(run, openPlayer, 0, { ...play, rollout: { size: 1 } });
    const evaluation = await evaluate(run, openPlayer, { ...play, eval: { size: 1, decoding: 'greedy' } });
    const remote = {
      baseUrl: server.url,
      model: null,
      apiKeyEnv: null,
      concurrency: 1,
      retries: 0,
      timeoutMs: 300_000,
    };
    await using rollouts = await openRemoteRollouts(remote, agent);
    const openRollouts = rollouts!.openPlayer(agent.slots);
    const [served] = await collect({ ...run, openRollouts }, openPlayer, 0, { ...play, rollout: { size: 1 } });
    const expected = tokensOf(rollout.segments);
    expect(expected.flatMap(({ written }) => written)).toHaveLength(rollout.transitions.length);
    expect(tokensOf(evaluation.trajectories[0].segments)).toEqual(expected);
    expect(tokensOf(served.segments)).toEqual(expected);
    expect(await demonstrated(game, form, rollout)).toEqual(expected);
  } finally {
    await server.close();
    await game.close?.();
  }
});
