// Whole iterations of GRPO (rollout, rewards, one update), each in turn with one of TRL's GRPOTrainer in a program of its own.
import { loadavg } from 'node:os';
import { grpo, trainingRun } from '@bowyer/algorithms';
import { spokenIds, type Rng, type Trajectory } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import type { LanguageModel } from '@bowyer/models';
import { median } from './measure.js';
import { cpuSeconds, peakMemory, type Peer } from './peer.js';

/** One iteration; times are in seconds. */
export interface Iteration {
  wall: number;
  cpu: number;
  /** The part until the last episode has been played. */
  rollout: number;
  rolloutCpu: number;
  /** Utterances, and the tokens that the policy wrote and those of the environment between them. */
  turns: number;
  tokens: number;
  observed: number;
  /** The most memory that the process has had resident up to then, GiB. */
  peak: number;
}

export interface Sizes {
  prompts: number;
  group: number;
  /** Tokens of an utterance, all of which are written. */
  newTokens: number;
  /** Measured iterations; one before them is not, since graphs are compiled in it. */
  iterations: number;
}

/** Returns options of one optimizer step of all episodes without KL: what peers/trl_grpo.py and peers/trl_many_turns.py do. */
const grpoOptions = ({ prompts, group, newTokens, iterations }: Sizes) => ({
  seed: 1,
  slots: prompts * group,
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: newTokens, terminatorIds: [] },
  iterations: iterations + 1,
  rollout: { size: prompts * group, groupSize: group },
  eval: { freq: 1e9 },
  saveFreq: 1e9,
  actor: { lr: 1e-5, minibatchSize: prompts * group },
  kl: { coefficient: 0 },
});

export interface Compared {
  policy: LanguageModel;
  makeEnv: () => Env;
  /** Null: our own figures alone. */
  peer: Peer<Iteration> | null;
  samplesIntegers?: boolean;
}

/** Runs and prints the iterations of both, and their medians. */
export async function compareIterations(
  title: string,
  { policy, makeEnv, peer, samplesIntegers = false }: Compared,
  sizes: Sizes,
): Promise<void> {
  await policy.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  const rows: { ours: Iteration; theirs: Iteration | null }[] = [];
  let [started, cpu, rollout, rolloutCpu] = [performance.now(), cpuSeconds(), 0, 0];
  const hooks = {
    progress: (phase: string, done: number, total: number) => {
      if (phase !== 'rollout' || done !== total) return;
      [rollout, rolloutCpu] = [(performance.now() - started) / 1e3, cpuSeconds() - cpu];
    },
    log: async (iteration: number, _metrics: unknown, played: readonly Trajectory[]) => {
      const wall = (performance.now() - started) / 1e3;
      const ours = { wall, cpu: cpuSeconds() - cpu, rollout, rolloutCpu, ...countsOf(played), peak: peakMemory() };
      const theirs = peer && (await peer.next());
      if (iteration > 0) rows.push({ ours, theirs });
      console.log(`ours ${shown(ours)}${theirs ? `; TRL ${shown(theirs)}` : ''}; load ${loadavg()[0].toFixed(1)}`);
      [started, cpu] = [performance.now(), cpuSeconds()];
    },
  };
  const options = grpoOptions(sizes);
  const run = trainingRun({ policy, makeEnv, hooks });
  const openRollouts = grpo.openPlayer({ ...run, samplesIntegers }, { slots: options.slots });
  await grpo.train({ ...run, openRollouts }, options);
  printMedians(title, rows);
}

function countsOf(played: readonly Trajectory[]): Pick<Iteration, 'turns' | 'tokens' | 'observed'> {
  const segments = played.flatMap((episode) => episode.segments);
  const utterances = segments.flatMap((segment) => segment.utterances);
  const tokens = utterances.reduce((sum, utterance) => sum + spokenIds(utterance).length, 0);
  return {
    turns: utterances.length,
    tokens,
    observed: segments.reduce((sum, { ids }) => sum + ids.length, 0) - tokens,
  };
}

const shown = ({ wall, cpu, rollout, rolloutCpu, turns, tokens, observed, peak }: Iteration) =>
  `${wall.toFixed(2)} s (CPU ${cpu.toFixed(2)}), rollout ${rollout.toFixed(2)} (${rolloutCpu.toFixed(2)}), ` +
  `${turns} turns, ${tokens} tokens written and ${observed} read, at most ${peak.toFixed(2)} GiB`;

function printMedians(title: string, rows: readonly { ours: Iteration; theirs: Iteration | null }[]): void {
  const of = (pick: (row: (typeof rows)[number]) => number) => median(rows.map(pick));
  console.log(
    `${title}: ours ${of(({ ours }) => ours.wall).toFixed(2)} s, ${of(({ ours }) => ours.tokens / ours.wall).toFixed(0)} tokens/s, ` +
      `of an iteration ${(100 * of(({ ours }) => ours.rollout / ours.wall)).toFixed(0)} % is the rollout`,
  );
  if (rows.some(({ theirs }) => theirs === null)) return;
  const ratio = (seconds: (iteration: Iteration) => number) =>
    of(({ ours, theirs }) => seconds(theirs!) / seconds(ours)).toFixed(2);
  console.log(
    `TRL ÷ ours, medians of ${rows.length}: iteration ${ratio(({ wall }) => wall)}, rollout ${ratio(({ rollout }) => rollout)}, ` +
      `rest ${ratio(({ wall, rollout }) => wall - rollout)}; CPU time ${ratio(({ cpu }) => cpu)}, ` +
      `${ratio(({ rolloutCpu }) => rolloutCpu)}, ${ratio(({ cpu, rolloutCpu }) => cpu - rolloutCpu)}`,
  );
}

/** Draws words of the tokenizers of these benchmarks, which have `vocabulary` tokens, four of them special. */
export const randomWords = (count: number, vocabulary: number, rng: Rng): string =>
  Array.from({ length: count }, () => `w${rng.integer(0, vocabulary - 5)}`).join(' ');

/** Computes the reward: the share of even words. */
export function evenShare(text: string): number {
  const words = text.trim().split(/\s+/);
  return words.filter((word) => Number(word.slice(1)) % 2 === 0).length / words.length;
}
