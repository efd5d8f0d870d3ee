// Does the work of without-gpu.ts in a separate process, whose peak memory is that of one model: one job for each line of
// standard input, answered by a line of JSON. The argument contains the settings (work.ts).
import { createInterface } from 'node:readline';
import { grpo, trainingRun } from '@bowyer/algorithms';
import { Rng, spokenIds, type Trajectory } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type Quantization } from '@bowyer/models';
import { cpuSeconds, peakMemory, timesOf } from '../peer.js';
import { contextLength, LORA, type Piece, type Settings, type Work } from './work.js';

type GrpoWork = Work & { kind: 'grpo' };

const settings = JSON.parse(process.argv[2]) as Settings;
const { config, dir, form, checkpointing, lora, prompts, group, work, threads, steps } = settings;
const vocabulary = Number(config.vocab_size);
const quantization = ({ '8 bits': '8bit', '4 bits': '4bit' }[form] ?? 'none') as Quantization;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const answer = (value: unknown) => console.log(JSON.stringify(value));

/** Waits for the request of the next piece. @returns false if there is none */
const asked = async () => !(await lines.next()).done;

/**
 * An environment with a text of random words that continues after every action; the reward of a turn is its share of even words.
 * No episode ends early.
 */
class Turns implements Env {
  #rng = new Rng(0);
  #text = '';
  #turn = 0;

  constructor(private readonly of: GrpoWork) {}

  async reset({ seed = 0 }: { seed?: number } = {}) {
    this.#rng = new Rng(seed);
    this.#text = this.#words(this.of.promptTokens);
    this.#turn = 0;
    return { observation: this.#text, info: {} };
  }

  async step(action: string) {
    this.#turn++;
    this.#text += `${action} ${this.#words(this.of.read)}`;
    const terminated = this.#turn === this.of.turns;
    return { observation: this.#text, reward: evenShare(action), terminated, truncated: false, info: {} };
  }

  async close() {}

  #words(count: number): string {
    return Array.from({ length: count }, () => `w${this.#rng.integer(0, vocabulary - 5)}`).join(' ');
  }
}

const device = await openDevice({ device: 'cpu', threads });
const policy = await LanguageModel.load({
  device,
  dir,
  contextLength: work.kind === 'grpo' ? contextLength(work) : work.tokens + 1,
  quantization,
  gradientCheckpointing: checkpointing,
  lora: lora ? { ...LORA, integerProducts: quantization !== 'none' } : undefined,
});
await policy.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
answer({ node: process.version });
await (work.kind === 'step' ? takeSteps(work) : playAndLearn(work));
await device.close();

async function takeSteps({ rows, tokens }: Work & { kind: 'step' }): Promise<void> {
  const rng = new Rng(2);
  while (await asked()) {
    const examples = Array.from({ length: rows }, () => {
      const ids = Int32Array.from({ length: tokens + 1 }, () => rng.integer(3, vocabulary - 4));
      const weights = new Float32Array(tokens).fill(1 / (rows * tokens));
      return { ids: ids.slice(0, -1), targets: ids.slice(1), weights };
    });
    const times = await timesOf(async () => {
      await policy.accumulateGradients(examples);
      await policy.optimizer.step({ lr: 1e-4, maxGradNorm: 1 });
    });
    answer({ ...times, rollout: 0, rolloutCpu: 0, tokens: rows * tokens, observed: 0, peak: peakMemory() });
  }
}

async function playAndLearn(of: GrpoWork): Promise<void> {
  const episodes = prompts * group;
  const options = {
    seed: 1,
    slots: episodes,
    sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: of.written, terminatorIds: [] },
    iterations: steps,
    rollout: { size: episodes, groupSize: group },
    eval: { freq: 1e9 },
    saveFreq: 1e9,
    actor: { lr: 1e-5, minibatchSize: episodes },
    kl: { coefficient: 0 },
  };
  let [started, cpu, rollout, rolloutCpu] = [0, 0, 0, 0];
  const start = async () => {
    const isAsked = await asked();
    [started, cpu] = [performance.now(), cpuSeconds()];
    return isAsked;
  };
  const hooks = {
    progress: (phase: string, done: number, total: number) => {
      if (phase !== 'rollout' || done !== total) return;
      [rollout, rolloutCpu] = [(performance.now() - started) / 1e3, cpuSeconds() - cpu];
    },
    log: async (_iteration: number, _metrics: unknown, played: readonly Trajectory[]) => {
      const wall = (performance.now() - started) / 1e3;
      const times = { wall, cpu: cpuSeconds() - cpu, rollout, rolloutCpu };
      answer({ ...times, ...countsOf(played), peak: peakMemory() } satisfies Piece);
      await start();
    },
  };
  const run = trainingRun({ policy, makeEnv: () => new Turns(of), hooks });
  const openRollouts = grpo.openPlayer({ ...run, samplesIntegers: quantization !== 'none' }, { slots: options.slots });
  if (await start()) await grpo.train({ ...run, openRollouts }, options);
}

function countsOf(played: readonly Trajectory[]): Pick<Piece, 'tokens' | 'observed'> {
  const segments = played.flatMap((episode) => episode.segments);
  const utterances = segments.flatMap((segment) => segment.utterances);
  const tokens = utterances.reduce((sum, utterance) => sum + spokenIds(utterance).length, 0);
  return { tokens, observed: segments.reduce((sum, { ids }) => sum + ids.length, 0) - tokens };
}

function evenShare(text: string): number {
  const words = text.trim().split(/\s+/);
  return words.filter((word) => Number(word.slice(1)) % 2 === 0).length / words.length;
}
