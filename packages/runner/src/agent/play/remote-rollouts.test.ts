// Tests rollouts that a policy on our model server plays: they have the same tokens as those of the same policy in this process,
// and the losses are weighted if the server runs another policy than the one that learns.
import { collect, findAlgorithm, policyPlayer, textDialogues } from '@bowyer/algorithms';
import { Rng, type Trajectory } from '@bowyer/core';
import { makeEnv } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import type { ModelServer } from '@bowyer/serving';
import { answerRequests } from '@bowyer/testing';
import { servePolicy } from '../../../test/served-policy.js';
import { remotePolicyProblems } from './remote-policy-problems.js';
import { openRemoteRollouts } from './remote-rollouts.js';

const tokenizer = wordLevelTokenizer(['a dog cat ? yes no go left right up down 0 1 2 3\n']);
const newline = tokenizer.encode('\n')[0];
const device = await openDevice({ device: 'cpu', threads: 1 });
let [model, other]: LanguageModel[] = [];
let server: ModelServer;
const make = (seed: number) => {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64 };
  return LanguageModel.create({ device, config, tokenizer, rng: new Rng(seed) });
};
beforeAll(async () => {
  [model, other] = [await make(3), await make(4)];
  server = await servePolicy(model);
});
afterAll(async () => {
  await server.close();
  await device.close();
});

const remote = (baseUrl: string) => ({
  baseUrl,
  model: null,
  apiKeyEnv: null,
  concurrency: 4,
  retries: 0,
  timeoutMs: 10_000,
});

/** Plays a greedy rollout with the policy in this process, or with the policy on the server. */
async function rollout(policy: LanguageModel, baseUrl: string | null): Promise<Trajectory[]> {
  const dialogues = textDialogues(tokenizer);
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 5, terminatorIds: [newline] };
  const agent = { policy, dialogues, slots: 3 };
  const config = baseUrl === null ? undefined : remote(baseUrl);
  await using remoteRollouts = await openRemoteRollouts(config, agent);
  const openRollouts = remoteRollouts?.openPlayer(agent.slots);
  const run = { makeEnv: () => makeEnv('maze', { maxSteps: 3 }), hooks: { progress: () => {} }, openRollouts };
  return await collect(run, policyPlayer(agent, agent), 0, { seed: 1, slots: 3, sampling, rollout: { size: 4 } });
}

const plain = (trajectories: readonly Trajectory[]) =>
  trajectories.map(({ transitions, segments }) => ({
    actions: transitions.map(({ action }) => action),
    segments: segments.map(({ ids, utterances }) => ({
      ids,
      utterances: utterances.map((own) => ({ ...own, logprobs: own.logprobs.length })),
    })),
  }));

test('the server plays the same tokens as its policy would play in this process, and any algorithm can learn from them', async () => {
  const [own, served, ofOther] = [
    await rollout(model, null),
    await rollout(model, server.url),
    await rollout(other, server.url),
  ];
  expect(plain(served)).toEqual(plain(own));
  // The log-probabilities are those of the server's policy, even if another policy learns.
  expect(plain(ofOther)).toEqual(plain(served));
  const flat = (trajectories: readonly Trajectory[]) =>
    trajectories.flatMap(({ segments }) =>
      segments.flatMap(({ utterances }) => utterances.flatMap((one) => one.logprobs)),
    );
  const expected = flat(own);
  expect(expected.length).toBeGreaterThan(10);
  for (const played of [served, ofOther])
    flat(played).forEach((logprob, i) => expect(logprob).toBeCloseTo(expected[i], 4));
});

test('another tokenizer, and a server without token ids, are refused before an episode', async () => {
  const words = wordLevelTokenizer(['a dog cow ? yes no go left right up down 0 1 2 3\n']);
  const stranger = { tokenizer: words, contextLength: 64, maskedTokenIds: [] } as unknown as LanguageModel;
  const open = (baseUrl: string, policy: LanguageModel) =>
    openRemoteRollouts(remote(baseUrl), { policy, dialogues: textDialogues(words) });
  await expect(open(server.url, stranger)).rejects.toThrow('has another tokenizer than the policy: ');
  const silent = await answerRequests(() => ({ choices: [{ index: 0, text: 'x' }] }));
  await expect(open(`${silent.address}/v1`, model)).rejects.toThrow(
    /does not answer completions with token ids: .*no token_ids.*\n.*return_token_ids/s,
  );
  silent.close();
});

test('after a change of weights the server plays as the new policy, without the cache of the old one', async () => {
  const [before, wanted] = [await rollout(other, server.url), await rollout(other, null)];
  expect(plain(before)).not.toEqual(plain(wanted));
  const asked = rollout(other, server.url);
  await server.changeWeights(async () => model.restoreParameters(await other.copyParameters()));
  await asked;
  expect(plain(await rollout(other, server.url))).toEqual(plain(wanted));
  await expect(server.changeWeights(() => Promise.reject(new Error('a broken file')))).rejects.toThrow('a broken file');
  expect(plain(await rollout(other, server.url))).toEqual(plain(wanted));
});

const config = { remotePolicy: remote('http://127.0.0.1:1/v1'), play: { actionChoice: 'free' as const } };
test.each([
  ['chai', {}, 'remote_policy.base_url', 'chai learns from the episodes of its own policy'],
  [
    'archer',
    { algorithm: { replay: { importanceClip: null } } },
    'algorithm.replay.importance_clip',
    'would count as the policy’s own',
  ],
  ['archer', { algorithm: { replay: { importanceClip: 5 } } }, undefined, undefined],
  [
    'grpo',
    { algorithm: { loss: { oldLogprobs: 'recomputed' } } },
    'algorithm.loss.old_logprobs',
    'not to the one that played',
  ],
  [
    'ppo',
    { algorithm: { loss: { oldLogprobs: 'sampled' } }, play: { actionChoice: 'scored' as const } },
    'play.action_choice',
    'a server writes freely',
  ],
])('%s with %j: %s', (name, options, key, message) => {
  const [problem] = remotePolicyProblems(findAlgorithm(name), { ...config, ...options });
  expect(problem?.key).toBe(key);
  if (message) expect(problem.message).toContain(message);
});
