// A game whose values are known exactly, in the form that algorithms need: a tiny policy with the game's words, a player and a
// critic that are tables, and the exact value of a trained policy.
import { Rng, type Trajectory, type Transition } from '@bowyer/core';
import { actionsOf, exactValues, startValue, TabularGame, towerModel, type TabularPolicy } from '@bowyer/envs';
import type { Device } from '@bowyer/graph';
import { DoubleCritic, LanguageModel, type HeadOutputs, type TokenExample } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { collect, trainingRun, type OpenPlayer } from '../src/index.js';

export const states = Object.keys(towerModel.states);
export const actions = actionsOf(towerModel);
export const maxSteps = 20;
export const makeGame = () => new TabularGame({ maxSteps });

export const tokenizer = wordLevelTokenizer([...states.map((state) => `${state}\n`), 'end\n', ...actions]);
const idOf = (word: string) => tokenizer.encode(word)[0];
/** An utterance is one of the three actions, since the length limit is one token. */
const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => !actions.map(idOf).includes(id),
);
export const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };

export const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

export async function makePolicy(device: Device, seed: number): Promise<LanguageModel> {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64 };
  const rng = Rng.forPurpose(seed, 'policy');
  const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng });
  await policy.createOptimizer(adam);
  return policy;
}

/** Computes the exact probabilities π(action | state) of a model. */
export async function tableOf(policy: LanguageModel): Promise<TabularPolicy> {
  const examples = states.flatMap((state) => {
    const ids = Int32Array.from(tokenizer.encode(`${state}\n`));
    const weights = Float32Array.from(ids, (_, i) => (i === ids.length - 1 ? 1 : 0));
    return actions.map((action): TokenExample => ({ ids, targets: ids.map(() => idOf(action)), weights }));
  });
  const logprobs = await policy.logprobs(examples);
  return Object.fromEntries(
    states.map((state, s) => [
      state,
      Object.fromEntries(actions.map((action, a) => [action, Math.exp(logprobs[s * actions.length + a].at(-1)!)])),
    ]),
  );
}

/** Computes the expected undiscounted return of a policy under the step limit. */
export const exactReturn = (policy: TabularPolicy): number =>
  startValue(towerModel, exactValues(towerModel, policy, { gamma: 1, horizon: maxSteps }));

/** Makes a player that takes its actions from a table. */
const tablePlayer =
  (policy: TabularPolicy): OpenPlayer =>
  async () => ({
    act: async (requests) =>
      requests.map(({ observation, rng }) => {
        let rest = rng.uniform();
        const chances = Object.entries(policy[observation.trim()]);
        return { action: (chances.find(([, chance]) => (rest -= chance) < 0) ?? chances.at(-1)!)[0] };
      }),
    close: async () => {},
  });

/** Plays episodes with a table as the policy. @param limit steps after which they are truncated */
export function episodesOf(policy: TabularPolicy, episodes: number, limit: number, seed = 0): Promise<Trajectory[]> {
  const run = trainingRun({
    policy: { tokenizer } as unknown as LanguageModel,
    makeEnv: () => new TabularGame({ maxSteps: limit }),
  });
  return collect(run, tablePlayer(policy), 0, { seed, slots: 64, sampling, rollout: { size: episodes } });
}

/** Makes a double critic whose Q and V are two tables each, so that only the algorithm affects the learned values. */
export function tableCritic(initialValue = 0): DoubleCritic {
  const online = new Map<string, number>();
  const target = new Map<string, number>();
  const residuals = new Map<string, { sum: number; count: number }>();
  const read = (table: Map<string, number>, key: string) => table.get(key) ?? initialValue;
  const evaluate = (observations: readonly string[], said: readonly string[] | null, table: Map<string, number>) => {
    const q = Float32Array.from(said ?? [], (action, i) => read(table, `${observations[i]}${action}`));
    const v = Float32Array.from(observations, (observation) => read(table, observation));
    return { q1: q, q2: q, v1: v, v2: v } satisfies HeadOutputs;
  };
  const add = (key: string, residual: number, weight = 1) => {
    const before = residuals.get(key) ?? { sum: 0, count: 0 };
    residuals.set(key, { sum: before.sum + weight * residual, count: before.count + weight });
  };
  const critic: Pick<DoubleCritic, 'evaluate' | 'accumulateGradients' | 'polyak' | 'rest'> & {
    optimizer: Pick<DoubleCritic['optimizer'], 'step'>;
  } = {
    evaluate: async (observations, said, which) => evaluate(observations, said, which === 'online' ? online : target),
    accumulateGradients: async ({ observations, actions: said, q1Targets, v1Targets, weights }) => {
      const values = evaluate(observations, said, online);
      observations.forEach((observation, i) => {
        add(`${observation}${said[i]}`, q1Targets[i] - values.q1[i]);
        add(observation, v1Targets[i] - values.v1[i], weights?.v1?.[i]);
      });
      return { ...values, q1Loss: 0, q2Loss: 0, v1Loss: 0, v2Loss: 0 };
    },
    optimizer: {
      step: async ({ lr }) => {
        for (const [key, { sum, count }] of residuals) online.set(key, read(online, key) + (lr * sum) / count);
        residuals.clear();
        return { gradientNorm: 0, clipCoefficient: 1 };
      },
    },
    rest: async () => {},
    polyak: async (tau) => {
      for (const key of online.keys()) target.set(key, (1 - tau) * read(target, key) + tau * read(online, key));
    },
  };
  return critic as DoubleCritic;
}

/** Computes the largest difference of a critic's Q and V from a policy's exact values, over all states and actions. */
export async function criticError(critic: DoubleCritic, policy: TabularPolicy, gamma: number): Promise<number> {
  const { q, v } = exactValues(towerModel, policy, { gamma });
  const pairs = states.flatMap((state) => actions.map((action) => ({ state, action })));
  const observations = pairs.map(({ state }) => `${state}\n`);
  const said = pairs.map(({ action }) => action);
  const values = await critic.evaluate(observations, said, 'online');
  return Math.max(
    ...pairs.flatMap(({ state, action }, i) => [
      Math.abs((values.q1[i] + values.q2[i]) / 2 - q[state][action]),
      Math.abs((values.v1[i] + values.v2[i]) / 2 - v[state]),
    ]),
  );
}

/** Makes a dataset of complete episodes, whose turns are separate pieces of context, as in a rollout. */
export const datasetOf = (played: readonly (readonly Transition[])[]): Trajectory[] =>
  played.map((transitions, episode) => ({
    episode,
    seed: 0,
    transitions: [...transitions],
    infos: transitions.map(() => ({})),
    segments: transitions.map(({ observation, action }, turn) => {
      const read = tokenizer.encode(observation);
      const utterance = { turn, start: read.length, ids: [idOf(action)], terminated: false, logprobs: [] };
      return { ids: [...read, idOf(action)], utterances: [utterance] };
    }),
  }));
