// The smallest training of each algorithm: the options of the shipped configs with small sizes, on a game of a few words.
import { demonstrationTrajectory, findAlgorithm, trainingRun, type TrainingRun } from '@bowyer/algorithms';
import { camelKeys, Rng, toCamelCase, toSnakeCase, type Trajectory, type Transition } from '@bowyer/core';
import { tabularDemonstrations, TabularGame, type Env, type StepResult } from '@bowyer/envs';
import type { Device } from '@bowyer/graph';
import { DoubleCritic, LanguageModel, LineEncoder, type OptimizerOptions } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { unprepared } from './composed.js';

const actions = ['left', 'right', 'wait'];
export const tokenizer = wordLevelTokenizer(['gate\nshore\nhall\nbridge\ntower\nend\n', ...actions]);
const idOf = (text: string) => tokenizer.encode(text)[0];
export const terminatorId = idOf('\n');
/** The other words occur only in the environment's texts. */
export const writable = [...actions.map(idOf), terminatorId];
const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => !writable.includes(id),
);
export const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

/** A tabular game whose observation repeats all earlier texts: the environment's texts are between the agent's words. */
export class Chronicle implements Env {
  readonly #game = new TabularGame({ maxSteps: 8 });
  #text = '';

  async reset(options?: { seed?: number }) {
    const { observation, info } = await this.#game.reset(options);
    return { observation: (this.#text = observation), info };
  }

  async step(action: string): Promise<StepResult> {
    const result = await this.#game.step(action);
    return { ...result, observation: (this.#text += `${action}\n${result.observation}`) };
  }

  expertReply() {
    return this.#game.expertReply();
  }

  close() {
    return this.#game.close();
  }
}

function episodeOf(transitions: Transition[], episode: number): Trajectory {
  const turns = transitions.map(({ nextObservation, ...turn }) => ({ ...turn, reply: `\n${nextObservation}` }));
  const opening = transitions[0].observation;
  return demonstrationTrajectory({ opening, turns }, { tokenizer, terminatorId, episode });
}

/** Small values for options of algorithms; an algorithm takes those that it has. */
const small: Record<string, unknown> = {
  iterations: 2,
  rolloutSize: 8,
  evalFreq: 2,
  evalSize: 4,
  saveFreq: 1,
  epochs: 2,
  batchSize: 4,
  gradAccumSteps: 1,
  warmupIter: 0,
  warmupEpochs: 0,
  groupSize: 4,
  minibatchSize: 4,
  innerEpochs: 1,
  actorEpochs: 2,
  capacity: 60,
  lmLr: 1e-2,
  criticLr: 1e-2,
  valueLr: 1e-2,
  successThreshold: 0.05,
  teacher: 'a frozen copy of the start',
};

/**
 * Returns the options of an algorithm with small sizes.
 *
 * @param changes by flat names
 */
export function optionsOf(name: string, changes: object = {}) {
  const composition = unprepared('default', `+algorithm=${name}`);
  const { name: _, ...algorithm } = camelKeys(composition.resolve().algorithm) as Record<string, unknown>;
  for (const [key, value] of Object.entries({ ...small, ...changes })) {
    const [root, ...nodes] = composition.pathOf(toSnakeCase(key)).split('.').map(toCamelCase);
    if (root !== 'algorithm') continue;
    const last = nodes.pop()!;
    nodes.reduce((at, node) => at[node] as typeof algorithm, algorithm)[last] = value;
  }
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 2, terminatorIds: [terminatorId] };
  return { seed: 0, slots: 8, sampling, ...algorithm } as never;
}

type ModelOptions = Partial<Parameters<typeof LanguageModel.create>[0]>;

/** Makes the models that the algorithm trains. */
export async function makeAgent(
  name: string,
  { device, optimizer = adam, ...options }: ModelOptions & { device: Device; optimizer?: OptimizerOptions },
  changes: object = {},
) {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 32, n_positions: 64 };
  const network = () =>
    LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(0), ...options });
  const policy = await network();
  await policy.createOptimizer(optimizer);
  const encoder = new LineEncoder(tokenizer, 8);
  const critic =
    findAlgorithm(name)!.needs.critic &&
    (await DoubleCritic.create({ device, encoder, rng: new Rng(1), outputBias: 0, optimizer }));
  const valueFunction = findAlgorithm(name)!.valueFunction?.(optionsOf(name, changes)) ?? null;
  const valueModel = valueFunction === 'critic' ? await network() : valueFunction && policy;
  if (valueModel && valueModel !== policy) await valueModel.createOptimizer(optimizer);
  await valueModel?.createValueHead(optimizer);
  return { policy, critic, valueModel };
}

/** Makes twelve episodes of a noisy demonstrator. */
export async function smallDataset(): Promise<TrainingRun['dataset']> {
  const played = await tabularDemonstrations({ maxSteps: 8 }, { episodes: 12, noise: 0.5, seed: 0 });
  return { kind: 'episodes', episodes: played.map(episodeOf) };
}

const sgd = { kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 } as const;

/**
 * The policy's weights, the critic's values at turns of the dataset, and the weights of a value network; empty for an algorithm
 * without one.
 */
type Figures = Record<'policy' | 'critic' | 'valueModel', number[]>;

/** Figures before and after an update. */
interface Update {
  before: Figures;
  after: Figures;
}

/**
 * Makes one iteration or epoch of an algorithm on a device. Steps are plain gradient descent, since other optimizers would divide
 * rounding errors by a gradient's size.
 */
export async function oneUpdate(name: string, device: Device, changes: object = {}): Promise<Update> {
  const dataset = await smallDataset();
  const { policy, critic, valueModel } = await makeAgent(name, { device, optimizer: sgd }, changes);
  const start = await policy.copyParameters();
  const weightsOf = async (model: LanguageModel) =>
    Object.values(await model.copyParameters()).flatMap(({ data }) => [...(data as Float32Array)]);
  const figures = async () => ({
    policy: await weightsOf(policy),
    critic: critic ? await criticValues(critic, dataset) : [],
    valueModel: valueModel && valueModel !== policy ? await weightsOf(valueModel) : [],
  });
  const run = trainingRun({
    policy,
    critic,
    valueModel,
    dataset,
    makeEnv: () => new Chronicle(),
    openTeacher: async () => (await makeAgent(name, { device, rng: new Rng(7) })).policy.freeze(),
    restoreStart: () => policy.restoreParameters(start),
  });
  const once = { iterations: 1, epochs: 1, evalFreq: 9, lmLr: 0.1, criticLr: 0.1, ...changes };
  const before = await figures();
  await findAlgorithm(name)!.train(run, optionsOf(name, once));
  const after = await figures();
  await policy.release();
  await critic?.release();
  if (valueModel !== policy) await valueModel?.release();
  return { before, after };
}

/**
 * Evaluates the critic at the first turns of a dataset.
 *
 * @returns [4 × turns] both Qs and both Vs at the first turns of a dataset
 */
async function criticValues(critic: DoubleCritic, dataset: TrainingRun['dataset']): Promise<number[]> {
  const { episodes } = dataset as Extract<TrainingRun['dataset'], { kind: 'episodes' }>;
  const turns = episodes.flatMap(({ transitions }) => transitions).slice(0, 16);
  const observations = turns.map(({ observation }) => observation);
  const heads = await critic.evaluate(
    observations,
    turns.map(({ action }) => action),
    'online',
  );
  return [heads.q1, heads.q2, heads.v1, heads.v2].flatMap((values) => [...values]);
}

/**
 * Returns the distance between two updates of the same numbers, divided by the length of the first update; of all networks, the
 * largest one.
 */
export function relativeDifference({ before, after }: Update, other: Update): number {
  const networks = (Object.keys(before) as (keyof Figures)[]).filter((network) => before[network].length > 0);
  return Math.max(
    ...networks.map((network) => {
      const apart = distance(after[network], other.after[network]);
      return apart === 0 ? 0 : apart / distance(after[network], before[network]);
    }),
  );
}

/** Computes the Euclidean distance. */
const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.hypot(...a.map((value, i) => value - b[i]));
