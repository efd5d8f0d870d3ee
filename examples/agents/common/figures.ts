// Reads the results of a trained agent: its final test on held-out tasks, and its evaluations during the training.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mean, readJsonl, standardError } from '@bowyer/core';

interface Gain {
  /** The mean rewards of the initial and of the trained model on the same tasks. */
  before: number;
  after: number;
  /** The 95 % interval of the mean difference over tasks (normal approximation). */
  low: number;
  high: number;
  /** The difference divided by its standard error. */
  standardErrors: number;
}

export interface SeedFigures {
  seed: number;
  gain: Gain;
  /** The mean rewards of the evaluations: of the initial model, and after every fourth iteration. */
  curve: number[];
  minutes: { wall: number; cpu: number };
}

interface TestedEpisode {
  policy: string;
  episode: number;
  episodic_return: number;
}

/** @param directory the run's folder */
export async function figuresOf(directory: string): Promise<Pick<SeedFigures, 'gain' | 'curve'>> {
  const rewards = new Map<string, Map<number, number>>();
  await readJsonl<TestedEpisode>(join(directory, 'trajectories/test.jsonl'), (line) => {
    const ofPolicy = rewards.get(line.policy) ?? new Map<number, number>();
    rewards.set(line.policy, ofPolicy.set(line.episode, line.episodic_return));
  });
  const curve: number[] = [];
  await readJsonl<Record<string, number>>(join(directory, 'metrics.jsonl'), (line) => {
    if ('eval/episodic_return' in line) curve.push(line['eval/episodic_return']);
  });
  return { gain: gainOf(rewards.get('start')!, rewards.get('last')!), curve };
}

function gainOf(start: ReadonlyMap<number, number>, last: ReadonlyMap<number, number>): Gain {
  const pairs = [...start].flatMap(([episode, before]) => {
    const after = last.get(episode);
    return after === undefined ? [] : [{ before, after }];
  });
  const differences = pairs.map(({ before, after }) => after - before);
  const [difference, error] = [mean(differences), standardError(differences)];
  return {
    before: mean(pairs.map(({ before }) => before)),
    after: mean(pairs.map(({ after }) => after)),
    low: difference - 1.96 * error,
    high: difference + 1.96 * error,
    standardErrors: difference / error,
  };
}

/** Returns an example's lines in the table of results.md. */
export function figuresText(name: string, figures: readonly SeedFigures[]): string {
  return figures
    .map(({ seed, gain, curve, minutes }) =>
      [
        `| ${name} | ${seed} | ${gain.before.toFixed(2)} | ${gain.after.toFixed(2)}`,
        `${gain.low.toFixed(2)} … ${gain.high.toFixed(2)} | ${gain.standardErrors.toFixed(1)}`,
        `${curve.map((reward) => reward.toFixed(2)).join(' ')} | ${minutes.cpu.toFixed(1)} | ${minutes.wall.toFixed(1)} |`,
      ].join(' | '),
    )
    .join('\n');
}

/** Replaces an example's lines in results.md. */
export function writeFigures(name: string, figures: readonly SeedFigures[]): void {
  const page = resolve(import.meta.dirname, '../results.md');
  const lines = readFileSync(page, 'utf8').split('\n');
  const own = lines.findIndex((line) => line.startsWith(`| ${name} |`));
  const others = lines.filter((line) => !line.startsWith(`| ${name} |`));
  const at = own >= 0 ? own : others.findLastIndex((line) => line.startsWith('| ')) + 1;
  writeFileSync(page, [...others.slice(0, at), figuresText(name, figures), ...others.slice(at)].join('\n'));
}
