// Tests that every algorithm resumes after a stop as if it had not stopped, trains adapters on a quantized base, and learns none
// of the environment's texts. The options are those of the shipped configs with small sizes.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { algorithmNames, findAlgorithm, trainingRun, type Metrics, type AlgorithmState } from '@bowyer/algorithms';
import type { Trajectory } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import { newFolder } from '@bowyer/testing';
import { Chronicle, makeAgent, optionsOf, smallDataset, writable } from './small-training.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
const dataset = await smallDataset();
afterAll(async () => {
  await device.close();
});

/** Makes a frozen policy with other weights. */
async function frozen(policy: LanguageModel, weights: Checkpoint['policy']) {
  const now = await policy.copyParameters();
  await policy.restoreParameters(weights);
  const copy = await policy.freeze();
  await policy.restoreParameters(now);
  return copy;
}

/** The contents of a checkpoint. */
interface Checkpoint {
  next: number;
  state: string;
  history: string;
  /** The number of lines that had been logged. */
  lines: number;
  policy: Awaited<ReturnType<LanguageModel['copyParameters']>>;
}

/** Trains from a checkpoint to the end. @returns also the first checkpoint after the start */
async function train(name: string, from: Checkpoint | null, precision = 'float32', changes: object = {}) {
  const { policy, critic, valueModel } = await makeAgent(name, { device });
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
  const state = (from ? JSON.parse(from.state) : {}) as AlgorithmState;
  let first: Checkpoint | null = null;
  const run = trainingRun({
    policy,
    critic,
    valueModel,
    dataset,
    state,
    history,
    firstIteration: from?.next ?? 0,
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
        first = {
          next,
          state: JSON.stringify(state),
          history: JSON.stringify(played),
          lines: lines.length,
          policy: await policy.copyParameters(),
        };
        await mkdir(join(folder, name), { recursive: true });
        await policy.optimizer.save(join(folder, name, 'optimizer'));
        await critic?.save(join(folder, name));
        await valueModel?.valueHead.save(join(folder, name));
      },
    },
  });
  const [unit, options] = [findAlgorithm(name)!, optionsOf(name, changes)];
  const integers = unit.openPlayer({ ...run, samplesIntegers: true }, options);
  await unit.train(precision === 'integers' ? { ...run, openRollouts: integers } : run, options);
  const parameters = await policy.copyParameters();
  await policy.release();
  await critic?.release();
  return { lines, first, parameters };
}

test.each([...algorithmNames().map((name) => [name, 'float32']), ['grpo', 'integers']])(
  '%s, rollouts in %s: resumed from a checkpoint, it ends with the same figures, episodes and weights',
  async (name, precision) => {
    const whole = await train(name, null, precision);
    const first: Checkpoint = whole.first!;
    expect(first.lines).toBeLessThan(whole.lines.length);
    const rest = await train(name, first, precision);
    expect(rest.lines).toEqual(whole.lines.slice(first.lines));
    expect(rest.parameters).toEqual(whole.parameters);
  },
);

const onDatasets = algorithmNames().filter((name) => 'logging_steps' in findAlgorithm(name)!.options.properties);

test('algorithms that learn from a dataset may log between the ends of epochs', () => {
  expect(onDatasets).toEqual(algorithmNames().filter((name) => findAlgorithm(name)!.needs.source === 'dataset'));
});

// Imitation, preferences and the methods with critics each have one loop over their dataset.
test.each(['bc', 'offline_dpo', 'iql'])(
  '%s: logging_steps adds lines between the ends of epochs, in a resumed run too',
  async (name) => {
    const stepsOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as [number])[0] + 1);
    const [batchSize, loggingSteps] = name === 'offline_dpo' ? [1, 3] : [4, 2]; // there are few pairs
    const changes = { batchSize, evalFreq: 1, filterQuantile: 0 };
    const ends = stepsOf((await train(name, null, 'float32', changes)).lines);
    const often = { ...changes, loggingSteps };
    const whole = await train(name, null, 'float32', often);
    const all = Array.from({ length: ends.at(-1)! + 1 }, (_, step) => step);
    expect(stepsOf(whole.lines)).toEqual(
      all.filter((step) => (step > 0 && step % loggingSteps === 0) || ends.includes(step)),
    );
    expect(whole.lines.length).toBeGreaterThan(ends.length);
    const first: Checkpoint = whole.first!;
    expect((await train(name, first, 'float32', often)).lines).toEqual(whole.lines.slice(first.lines));
  },
);

const withReference = algorithmNames().filter((name) => 'reference' in findAlgorithm(name)!.options.properties);

test('algorithms with a KL penalty have a reference policy', () => {
  const near = algorithmNames().filter((name) => 'kl' in findAlgorithm(name)!.options.properties);
  expect(near.length).toBeGreaterThan(0);
  expect(near.filter((name) => !withReference.includes(name))).toEqual([]);
});

test.each(withReference)('%s: reference_quantization is that of its reference policy', async (name) => {
  const { policy, critic, valueModel } = await makeAgent(name, { device });
  const asked: unknown[] = [];
  const openReference = (options: unknown) => {
    asked.push(options);
    return Promise.reject(new Error('asked for'));
  };
  const run = trainingRun({ policy, critic, valueModel, dataset, openReference, makeEnv: () => new Chronicle() });
  const options = optionsOf(name, { klCoefficient: 0.1, referenceQuantization: '4bit' });
  await expect(findAlgorithm(name)!.train(run, options)).rejects.toThrow('asked for');
  expect(asked).toEqual([{ quantization: '4bit' }]);
  await policy.release();
  await critic?.release();
});

/** Returns the policy, and notes the tokens that it is trained on. */
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

/** Each algorithm with its defaults, and further options that add a network or a term. */
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
      { device, lora, quantization: '4bit', gradientCheckpointing: true },
      changes,
    );
    const before = await policy.copyParameters();
    const learnt = new Set<number>();
    const run = trainingRun({
      policy: watched(policy, learnt),
      critic,
      valueModel,
      dataset,
      makeEnv: () => new Chronicle(),
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
