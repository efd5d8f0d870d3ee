// What every algorithm must do: resume after a stop as if there had been none, train adapters on a quantized base, and learn nothing
// of what the environment wrote. Options are those of the shipped configs, made small.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  algorithmNames,
  demonstrationTrajectory,
  findAlgorithm,
  trainingRun,
  type Metrics,
  type RecipeState,
  type TrainingRun,
} from '@bowyer/algorithms';
import { camelKeys, Rng, type Trajectory, type Transition } from '@bowyer/core';
import { tabularDemonstrations, TabularGame, type Env, type StepResult } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { DoubleCritic, LanguageModel, LineEncoder, wordLevelTokenizer, type TokenExample } from '@bowyer/models';
import { unprepared } from './composed.js';

let device: Device;
let folder: string;
let dataset: TrainingRun['dataset'];
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'bowyer-every-'));
  const played = await tabularDemonstrations({ maxSteps: 8 }, { episodes: 12, noise: 0.5, seed: 0 });
  dataset = { kind: 'episodes', episodes: played.map(episodeOf) };
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

const actions = ['left', 'right', 'wait'];
const tokenizer = wordLevelTokenizer(['gate\nshore\nhall\nbridge\ntower\nend\n', ...actions]);
const idOf = (text: string) => tokenizer.encode(text)[0];
const terminatorId = idOf('\n');
/** The other words are only ever the environment's. */
const writable = [...actions.map(idOf), terminatorId];
const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => !writable.includes(id),
);
const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

/** The tabular game with all that was said before: what the environment wrote stands between the agent's words. */
class Chronicle implements Env {
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

  close() {
    return this.#game.close();
  }
}

function episodeOf(transitions: Transition[], episode: number): Trajectory {
  const turns = transitions.map(({ nextObservation, ...turn }) => ({ ...turn, reply: `\n${nextObservation}` }));
  const opening = transitions[0].observation;
  return demonstrationTrajectory({ opening, turns }, { tokenizer, terminatorId, episode });
}

/** Whatever of these an algorithm has. */
const small: Record<string, unknown> = {
  ...{
    iterations: 2,
    rolloutSize: 8,
    evalFreq: 2,
    evalSize: 4,
    saveFreq: 1,
    epochs: 2,
    batchSize: 4,
    gradAccumSteps: 1,
  },
  ...{ warmupIter: 0, warmupEpochs: 0, groupSize: 4, minibatchSize: 4, innerEpochs: 1, actorEpochs: 2, capacity: 60 },
  ...{ lmLr: 1e-2, criticLr: 1e-2, valueLr: 1e-2, successThreshold: 0.05, teacher: 'a frozen copy of the start' },
};

function optionsOf(name: string, changes: object = {}) {
  const config = camelKeys(unprepared('archer_20q', `algorithm=${name}`).resolve()) as Record<string, unknown>;
  const own = Object.keys(camelKeys(findAlgorithm(name)!.options.properties) as object);
  const values: Record<string, unknown> = { ...config, ...small, ...changes };
  const options = Object.fromEntries(own.map((key) => [key, values[key]]));
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 2, terminatorIds: [terminatorId] };
  return { seed: 0, slots: 8, sampling, ...options } as never;
}

async function makeAgent(
  name: string,
  options: Partial<Parameters<typeof LanguageModel.create>[0]> = {},
  changes: object = {},
) {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 32, n_positions: 64 };
  const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(0), ...options });
  await policy.createOptimizer(adam);
  const encoder = new LineEncoder(tokenizer, 8);
  const critic =
    findAlgorithm(name)!.needs.critic &&
    (await DoubleCritic.create({ device, encoder, rng: new Rng(1), outputBias: 0, optimizer: adam }));
  const valueFunction = findAlgorithm(name)!.valueFunction?.(optionsOf(name, changes)) ?? null;
  const network = () =>
    LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(0), ...options });
  const valueModel = valueFunction === 'critic' ? await network() : valueFunction && policy;
  if (valueModel && valueModel !== policy) await valueModel.createOptimizer(adam);
  await valueModel?.createValueHead(adam);
  return { policy, critic, valueModel };
}

/** A frozen policy with other weights. */
async function frozen(policy: LanguageModel, weights: Checkpoint['policy']) {
  const now = await policy.copyParameters();
  await policy.restoreParameters(weights);
  const copy = await policy.freeze();
  await policy.restoreParameters(now);
  return copy;
}

/** What a checkpoint contains. */
interface Checkpoint {
  next: number;
  state: string;
  history: string;
  /** How much had been logged. */
  lines: number;
  policy: Awaited<ReturnType<LanguageModel['copyParameters']>>;
}

/** Trains from a checkpoint to the end. @returns also the first checkpoint on the way */
async function train(name: string, from: Checkpoint | null) {
  const { policy, critic, valueModel } = await makeAgent(name);
  const start = await policy.copyParameters();
  if (from) {
    await policy.restoreParameters(from.policy);
    await policy.optimizer.restore(join(folder, name, 'optimizer'));
    await critic?.restore(join(folder, name));
    await valueModel?.valueHead.restore(join(folder, name));
  }
  const lines: string[] = [];
  const history = from ? (JSON.parse(from.history) as Trajectory[]) : [];
  const played = [...history];
  const state = (from ? JSON.parse(from.state) : {}) as RecipeState;
  let first: Checkpoint | null = null;
  const run = trainingRun({
    ...{ policy, critic, valueModel, dataset, state, history, firstIteration: from?.next ?? 0 },
    makeEnv: () => new Chronicle(),
    openReference: () => frozen(policy, start),
    openTeacher: () => frozen(policy, start),
    restoreStart: () => policy.restoreParameters(start),
    hooks: {
      log: async (iteration: number, metrics: Metrics, rollout: readonly Trajectory[] = []) => {
        lines.push(JSON.stringify([iteration, metrics, rollout]));
        played.push(...rollout);
      },
      checkpointDue: true,
      checkpoint: async (next: number) => {
        if (from || first) return;
        first = { next, state: JSON.stringify(state), history: JSON.stringify(played), lines: lines.length, policy: await policy.copyParameters() }; // prettier-ignore
        await mkdir(join(folder, name), { recursive: true });
        await policy.optimizer.save(join(folder, name, 'optimizer'));
        await critic?.save(join(folder, name));
        await valueModel?.valueHead.save(join(folder, name));
      },
    },
  });
  await findAlgorithm(name)!.train(run, optionsOf(name));
  const parameters = await policy.copyParameters();
  await policy.release();
  await critic?.release();
  return { lines, first, parameters };
}

test.each(algorithmNames())(
  '%s: resumed from a checkpoint, it ends with the same figures, episodes and weights',
  async (name) => {
    const whole = await train(name, null);
    const first: Checkpoint = whole.first!;
    expect(first.lines).toBeLessThan(whole.lines.length);
    const rest = await train(name, first);
    expect(rest.lines).toEqual(whole.lines.slice(first.lines));
    expect(rest.parameters).toEqual(whole.parameters);
  },
);

const withReference = algorithmNames().filter((name) => 'reference_quantization' in findAlgorithm(name)!.options.properties); // prettier-ignore

test('whatever has a reference policy may have it quantised', () => {
  expect(withReference.sort()).toEqual(['archer', 'dpo', 'gigpo', 'grpo', 'offline_dpo', 'ppo', 'reinforce_pp', 'rloo']); // prettier-ignore
});

test.each(withReference)('%s: reference_quantization is that of its reference policy', async (name) => {
  const { policy, critic, valueModel } = await makeAgent(name);
  const asked: unknown[] = [];
  const openReference = (options: unknown) => {
    asked.push(options);
    return Promise.reject(new Error('asked for'));
  };
  const run = trainingRun({
    ...{ policy, critic, valueModel, dataset, openReference },
    makeEnv: () => new Chronicle(),
  });
  const options = optionsOf(name, { klCoefficient: 0.1, referenceQuantization: '4bit' });
  await expect(findAlgorithm(name)!.train(run, options)).rejects.toThrow('asked for');
  expect(asked).toEqual([{ quantization: '4bit' }]);
  await policy.release();
  await critic?.release();
});

/** The policy; notes which tokens it is trained on. */
const watched = (policy: LanguageModel, learnt: Set<number>): LanguageModel =>
  new Proxy(policy, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (String(key).startsWith('accumulate'))
          for (const { targets, weights } of args[0] as TokenExample[])
            targets.forEach((id, position) => weights[position] !== 0 && learnt.add(id));
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });

/** Besides each as it is shipped, what adds a network or a term. */
const trained: [name: string, changes: object][] = [
  ...algorithmNames().flatMap((name): [string, object][] => (findAlgorithm(name)!.trainsPolicy ? [[name, {}]] : [])),
  ['archer', { useBaseline: true, klCoefficient: 0.1, importanceClip: 5 }],
  ['ppo', { valueFunction: 'critic', gaeLevel: 'token', entropyCoefficient: 0.01 }],
];

test.each(trained)(
  '%s %j: trains adapters on a 4-bit base with checkpointing, and on words of the agent alone',
  async (name, changes) => {
    const lora = { r: 2, alpha: 4, dropout: 0, targetModules: null, seed: 0 };
    const { policy, critic, valueModel } = await makeAgent(
      name,
      { lora, quantization: '4bit', gradientCheckpointing: true },
      changes,
    );
    const before = await policy.copyParameters();
    const learnt = new Set<number>();
    const run = trainingRun({
      ...{ policy: watched(policy, learnt), critic, valueModel, dataset, makeEnv: () => new Chronicle() },
      openTeacher: () => policy.freeze(),
      restoreStart: () => policy.restoreParameters(before),
    });
    await findAlgorithm(name)!.train(run, optionsOf(name, { iterations: 1, epochs: 1, evalFreq: 9, ...changes }));
    expect(await policy.copyParameters()).not.toEqual(before);
    expect(learnt.size).toBeGreaterThan(0);
    expect([...learnt].filter((id) => !writable.includes(id))).toEqual([]);
    if (valueModel !== policy) await valueModel?.release();
    await policy.release();
    await critic?.release();
  },
);
