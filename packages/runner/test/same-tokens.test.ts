// One episode has the same tokens as a demonstration, in a rollout, in an evaluation and through the server of the model, as text
// and as a chat.
import {
  chatDialogues,
  collect,
  demonstrationSegments,
  evaluate,
  policyPlayer,
  textDialogues,
  type Dialogues,
} from '@bowyer/algorithms';
import {
  demonstrationSetOf,
  recordedInfo,
  Rng,
  type EpisodeRecord,
  type TokenSegment,
  type Trajectory,
} from '@bowyer/core';
import { makeEnv, type Env } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { chatTemplate, LanguageModel, templateTokens, wordLevelTokenizer } from '@bowyer/models';
import { ModelServer, SteppedTokenizer } from '@bowyer/serving';
import { withRemoteRollouts } from '../src/agent/remote-rollouts.js';
import { asConversations } from '../src/demonstrations/material.js';
import { agentEnvironment, contextOf, demonstrationsIn, type ContextConfig } from '../src/environment/agent-context.js';

const config: ContextConfig = { env: { name: 'tabular' }, context: { kind: 'auto' } };
/** Whatever seed and split are asked for, the same episode. */
const game = (): Env => {
  const env = makeEnv('tabular', { maxSteps: 4 });
  return { reset: () => env.reset({ seed: 7 }), step: (action) => env.step(action), close: () => env.close() };
};
const words = 'gate\nshore\nhall\nbridge\ntower\nend\nleft\nright\nwait\n user\nassistant\n left right wait';
const tokenizer = wordLevelTokenizer([words], { wholeTokens: templateTokens('chatml'), minCount: 1 });
const [left, right, wait] = ['left', 'right', 'wait'].map((action) => tokenizer.encode(action)[0]);
const newline = tokenizer.encode('\n')[0];
const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter((id) => ![left, right, wait].includes(id)); // prettier-ignore
const template = chatTemplate('chatml', tokenizer);
const isDialogue = contextOf(config).kind === 'dialogue';

const forms: Record<string, Dialogues> = {
  text: textDialogues(tokenizer),
  chat: chatDialogues(tokenizer, { template, opening: [], isSingleMessage: !isDialogue }),
};

/** What is read, and where what was written. */
const tokensOf = (segments: readonly TokenSegment[]) =>
  segments.map(({ ids, utterances }) => ({ ids, written: utterances.map((one) => [one.start, ...one.ids]) }));

/** The actions of an episode in the environment, as an expert records them. */
async function recorded(actions: readonly string[]): Promise<EpisodeRecord> {
  const env = game();
  const { observation, info } = await env.reset();
  const record: EpisodeRecord = { reset: { observation, info: recordedInfo(info) }, steps: [] };
  for (const action of actions) {
    const result = await env.step(action);
    record.steps.push({ ...result, action, info: recordedInfo(result.info) });
  }
  return record;
}

/** Of a demonstration, up to the last token that a player would have read or written. */
async function demonstrated(form: string, actions: readonly string[], played: readonly TokenSegment[]) {
  const [demonstration] = await demonstrationsIn(config, demonstrationSetOf([await recorded(actions)]), null);
  if (form === 'text') return tokensOf(demonstrationSegments(demonstration, tokenizer, newline));
  const encoded = asConversations(demonstration, isDialogue).flatMap((messages) =>
    template.encodeConversation(messages),
  );
  return encoded.map(({ ids, lossMask }, i) => ({
    ids: ids.slice(0, played[i].ids.length),
    written: lossMask.flatMap((learned, t) => {
      if (!learned || lossMask[t - 1]) return [];
      const length = lossMask.slice(t).findIndex((later) => !later);
      // The token that ends a message is learned too.
      return [[t, ...ids.slice(t, length < 0 ? ids.length : t + length).slice(0, -1)]];
    }),
  }));
}

test.each(Object.keys(forms))('as %s: demonstration, rollout, evaluation and server', async (form) => {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const shape = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 128 };
  const policy = await LanguageModel.create({ device, config: shape, tokenizer, maskedTokenIds, rng: new Rng(3) });
  const server = await ModelServer.listen({
    ...{ model: policy, tokenizer: new SteppedTokenizer(tokenizer), name: 'policy', template: null },
    ...{ host: '127.0.0.1', port: 0, apiKey: null, seed: 0, slots: 2, maxQueued: 8 },
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
  });
  try {
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 1, terminatorIds: [newline] };
    const agent = { policy, dialogues: forms[form], slots: 1 };
    const run = { makeEnv: agentEnvironment(config, game, null), hooks: { progress: () => {} } };
    const openPlayer = policyPlayer(agent, agent);
    const play = { seed: 1, slots: 1, sampling };
    const [rollout] = await collect(run, openPlayer, 0, { ...play, rolloutSize: 1 });
    const evaluation = await evaluate(run, openPlayer, { ...play, evalSize: 1, evalDecoding: 'greedy' });
    const remote = { baseUrl: server.url, model: null, apiKeyEnv: null, concurrency: 1, retries: 0 };
    const [served] = await withRemoteRollouts<Trajectory[]>(remote, agent, (openRollouts) =>
      collect({ ...run, openRollouts }, openPlayer, 0, { ...play, rolloutSize: 1 }),
    );
    const expected = tokensOf(rollout.segments);
    expect(expected.flatMap(({ written }) => written)).toHaveLength(rollout.transitions.length);
    expect(tokensOf(evaluation.trajectories[0].segments)).toEqual(expected);
    expect(tokensOf(served.segments)).toEqual(expected);
    const actions = rollout.transitions.map(({ action }) => action);
    expect(await demonstrated(form, actions, rollout.segments)).toEqual(expected);
  } finally {
    await server.close();
    await device.close();
  }
});
