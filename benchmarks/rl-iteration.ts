// Whole GRPO iterations (rollout, rewards, one update) of GPT-2 shapes on random words, in turn with TRL's GRPOTrainer
// (peers/trl_grpo.py): 16 prompts of 64 tokens, 8 completions of 64 tokens each, no KL, one optimizer step.
//   PYTHON=… node --conditions=source --import tsx benchmarks/rl-iteration.ts [0.1M|1M|10.8M] [iterations] [threads] [episodes at once for TRL]
import { loadavg } from 'node:os';
import { findAlgorithm, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { median } from './measure.js';
import { cpuSeconds, openPeer } from './peer.js';

const shapes = {
  '0.1M': { n_layer: 2, n_embd: 64, n_head: 4 },
  '1M': { n_layer: 4, n_embd: 128, n_head: 4 },
  '10.8M': { n_layer: 6, n_embd: 384, n_head: 6 },
};
const name = (process.argv[2] ?? '0.1M') as keyof typeof shapes;
const iterations = Number(process.argv[3] ?? 5);
const threads = Number(process.argv[4] ?? 1);
const [PROMPTS, GROUP, PROMPT_TOKENS, NEW_TOKENS, VOCABULARY] = [16, 8, 64, 64, 512];
const microBatch = Number(process.argv[5] ?? 32);
const shape = shapes[name];

/** One prompt of random words, one completion; the reward is the share of even words. */
class Words implements Env {
  #rng = new Rng(0);
  async reset({ seed = 0 }: { seed?: number } = {}) {
    this.#rng = new Rng(seed);
    const words = Array.from({ length: PROMPT_TOKENS }, () => `w${this.#rng.integer(0, VOCABULARY - 5)}`);
    return { observation: words.join(' '), info: {} };
  }
  async step(action: string) {
    const words = action.trim().split(/\s+/);
    const reward = words.filter((word) => Number(word.slice(1)) % 2 === 0).length / words.length;
    return { observation: '', reward, terminated: true, truncated: false, info: {} };
  }
  async close() {}
}

interface Iteration {
  wall: number;
  cpu: number;
  /** Seconds of sampling. */
  rollout: number;
  tokens: number;
}

const device = await openDevice({ device: 'cpu', threads });
const settings = {
  layers: shape.n_layer,
  width: shape.n_embd,
  heads: shape.n_head,
  vocabulary: VOCABULARY,
  prompts: PROMPTS,
  group: GROUP,
  prompt_tokens: PROMPT_TOKENS,
  new_tokens: NEW_TOKENS,
  micro_batch: microBatch,
  threads,
  steps: iterations + 1,
  bf16: process.env.PEER_BF16 === '1',
  folder: '/tmp/trl-grpo',
};
const peer = await openPeer<Iteration>('trl_grpo.py', settings);
try {
  const words = Array.from({ length: VOCABULARY - 4 }, (_, i) => `w${i}`).join(' ');
  const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
  const config = { model_type: 'gpt2', ...shape, n_positions: PROMPT_TOKENS + NEW_TOKENS };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(1) });
  await policy.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: NEW_TOKENS, terminatorIds: [] };
  const options = {
    seed: 1,
    slots: PROMPTS * GROUP,
    sampling,
    iterations: iterations + 1,
    rolloutSize: PROMPTS * GROUP,
    horizon: null,
    evalFreq: 1e9,
    evalSize: 1,
    evalDecoding: 'sample',
    saveFreq: 1e9,
    groupSize: GROUP,
    samplingRounds: 1,
    invalidPenalty: 0,
    truncatedEpisodes: 'learn',
    innerEpochs: 1,
    sequence: 'episode',
    minibatchSize: PROMPTS * GROUP,
    maxBatchTokens: null,
    lossAggregation: 'sequence_mean_token_mean',
    lossDivisor: null,
    ratio: 'token',
    clipLow: 0.2,
    clipHigh: 0.2,
    dualClip: null,
    oldLogprobs: 'sampled',
    klCoefficient: 0,
    klIn: 'loss',
    klEstimator: 'k3',
    entropyCoefficient: 0,
    targetKl: null,
    lmLr: 1e-5,
    lmLrFinalShare: 1,
    maxGradNorm: 1,
    lmSchedule: { kind: 'linear', warmupSteps: 0, finalShare: 1 },
    scoreTerminator: true,
    scaleByStd: true,
    statistics: 'episode',
  };
  const rows: { ours: Iteration; theirs: Iteration | null }[] = [];
  let [started, cpu, rollout] = [performance.now(), cpuSeconds(), 0];
  const hooks = {
    progress: (phase: string, done: number, total: number) => {
      if (phase === 'rollout' && done === total) rollout = (performance.now() - started) / 1e3;
    },
    log: async (iteration: number) => {
      const wall = (performance.now() - started) / 1e3;
      const ours = { wall, cpu: cpuSeconds() - cpu, rollout, tokens: PROMPTS * GROUP * NEW_TOKENS };
      const theirs = peer && (await peer.next());
      if (iteration > 0) rows.push({ ours, theirs }); // the first one compiles
      const show = (it: Iteration) =>
        `${it.wall.toFixed(2)} s (CPU ${it.cpu.toFixed(2)}), rollout ${it.rollout.toFixed(2)}, ${(it.tokens / it.wall).toFixed(0)} tokens/s`;
      console.log(`ours ${show(ours)}${theirs ? `; TRL ${show(theirs)}` : ''}; load ${loadavg()[0].toFixed(1)}`);
      [started, cpu] = [performance.now(), cpuSeconds()];
    },
  };
  await findAlgorithm('grpo')!.train(trainingRun({ policy, makeEnv: () => new Words(), hooks }), options);
  const of = (pick: (row: (typeof rows)[number]) => number) => median(rows.map(pick));
  console.log(
    `${name} (${policy.parameters.size} weights), ${threads} thread(s): ours ${of(({ ours }) => ours.tokens / ours.wall).toFixed(0)} tokens/s, ` +
      `of an iteration ${(100 * of(({ ours }) => ours.rollout / ours.wall)).toFixed(0)} % is the rollout`,
  );
  if (peer)
    console.log(
      `TRL ÷ ours, medians of ${rows.length}: iteration ${of(({ ours, theirs }) => theirs!.wall / ours.wall).toFixed(2)} (aim 4), ` +
        `CPU time ${of(({ ours, theirs }) => theirs!.cpu / ours.cpu).toFixed(2)}, rollout ${of(({ ours, theirs }) => theirs!.rollout / ours.rollout).toFixed(2)}, ` +
        `rest ${of(({ ours, theirs }) => (theirs!.wall - theirs!.rollout) / (ours.wall - ours.rollout)).toFixed(2)}`,
    );
} finally {
  peer?.close();
  await device.close();
}
