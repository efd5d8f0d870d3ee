// Writes NAME.md from runs that have tested a policy: trainings, and evaluations (task=evaluate).
//   node --conditions=source --import tsx experiments/clones/table.ts NAME RUN...
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bootstrapMean, mean, Rng, standardError } from '@bowyer/core';
import { halfInterval } from '../sweep-runs.js';

const [, , pageName, ...folders] = process.argv;
if (folders.length === 0) throw new Error('agent-games-table: give the name of a page and folders of runs');

interface Tested {
  name: string;
  decoding: string;
  metrics: Record<string, number>;
  interval: { low: number; high: number };
}

/** A line of a test's episodes. */
interface Played {
  item: string;
  policy: string;
  decoding: string;
  episodic_return: number;
}

interface Start {
  event: string;
  time: string;
  command?: string;
  commit?: string;
}

interface Run {
  /** The folder's name, which commands and the table call it by. */
  name: string;
  /** Folder of the sweep, where the run is a job of one. */
  sweep: string;
  environment: string;
  /** The value of the config key action_choice: what the agent may say. */
  choice: string;
  command: string;
  commit: string;
  date: string;
  minutes: number;
  policies: Tested[];
  played: Played[];
  curve: Record<string, number>[];
}

const text = (...path: string[]) => readFileSync(join(...path), 'utf8');
const lines = <Line>(folder: string, file: string): Line[] => {
  try {
    return text(folder, file)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  } catch {
    return []; // an evaluation has no curve
  }
};

function readRun(folder: string): Run {
  const starts = lines<Start>(folder, 'starts.jsonl');
  const { command, commit, time } = starts.findLast(({ event }) => event === 'start')!;
  const config = JSON.parse(text(folder, 'run-config.json')) as {
    actionChoice?: string;
    env: { name: string };
  };
  const results = JSON.parse(text(folder, 'results.json')) as { policies: Tested[] };
  // A start that was killed has no end.
  const elapsed = starts.reduce((sum, { event, time }, i) => {
    const isWhole = event === 'end' && starts[i - 1]?.event === 'start';
    return isWhole ? sum + Date.parse(time) - Date.parse(starts[i - 1].time) : sum;
  }, 0);
  return {
    name: nameOf(folder),
    sweep: basename(dirname(folder)),
    environment: config.env.name,
    choice: config.actionChoice ?? 'free',
    command: command!
      .split(' ')
      .filter((word) => !/^('?hydra\.|save_path=)/.test(word)) // of a sweep, and another folder
      .concat(`save_path=${nameOf(folder)}`)
      .join(' ')
      .replaceAll(/(?<==)\/\S*\/([^\s/]+)\/(\d+)\/checkpoints\//g, '$1_$2/checkpoints/')
      .replaceAll(/(?<==)\/\S*\/([^\s/]+)\/checkpoints\//g, '$1/checkpoints/')
      .replaceAll(/(?<==|\[)\/\S*\//g, ''), // folders by their names alone
    commit: commit!.slice(0, 7) + (commit!.endsWith('+') ? '+' : ''),
    date: time.slice(0, 10),
    minutes: elapsed / 60_000,
    policies: results.policies.filter(
      ({ name, metrics }, i, all) =>
        all.findIndex((other) => same(other.metrics, metrics)) === i || !name.startsWith('best'),
    ),
    played: lines<Played>(folder, 'trajectories/test.jsonl'),
    curve: lines<Record<string, number>>(folder, 'metrics.jsonl'),
  };
}

/** Jobs of a sweep have numbers only. */
const nameOf = (folder: string): string =>
  /^\d+$/.test(basename(folder)) ? `${basename(dirname(folder))}_${basename(folder)}` : basename(folder);

const same = (a: Record<string, number>, b: Record<string, number>): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Some starts were tested in name only. */
const isTested = ({ metrics }: Tested): boolean => metrics['test/episodes'] >= 20;

const policyRow = (run: Run, { name, decoding, metrics, interval }: Tested): string => {
  const figure = (key: string, digits: number) => (metrics[`test/${key}`] ?? NaN).toFixed(digits).replace('NaN', '–');
  const cells = [
    `\`${run.environment}\``,
    `\`${run.name}\``,
    name.replace(/\/\S*\//, ''),
    (decoding === 'sample' ? 'sampled' : decoding) + (run.choice === 'free' ? '' : `, ${run.choice}`),
    `**${figure('episodic_return', 2)}**`,
    `${interval.low.toFixed(2)} … ${interval.high.toFixed(2)}`,
    figure('win_rate', 2),
    figure('episode_turns', 1),
    figure('episodes', 0),
  ];
  return `| ${cells.join(' | ')} |`;
};

const curveRow = ({ name, curve }: Run): string | null => {
  const points = curve.filter((line) => 'eval/nll' in line && 'optim/steps' in line);
  if (points.length === 0) return null;
  const shown = points.map((line) => `${line['eval/nll'].toFixed(2)} (${line['optim/steps']})`);
  return `| \`${name}\` | ${shown.join(', ')} |`;
};

/**
 * The gain of training over the policy that the run began with, on each of the same episodes; empty where it was not
 * tested. An evaluation NAME_last is compared with NAME_start, of the same seed.
 */
function gainsOf({ name, played }: Run): number[] {
  const apart = name.includes('_last') && runs.find((run) => run.name === name.replace('_last', '_start'));
  const returns = (policy: string) => played.filter((one) => one.policy === policy && one.decoding === 'sample');
  const [before, after] = apart ? [apart.played, played] : [returns('start'), returns('last')];
  if (before.length === 0 || before.length !== after.length) return [];
  return after.map(({ item, episodic_return: value }, i) => {
    if (item !== before[i].item) throw new Error(`${name}: episode ${i} of the two tests is of another item`);
    return value - before[i].episodic_return;
  });
}

function gainRow(run: Run): string[] {
  const gains = gainsOf(run);
  if (gains.length === 0) return [];
  const { low, high } = bootstrapMean(
    gains.map((gain) => [gain]),
    Rng.forPurpose(0, 'bootstrap'),
  );
  const error = Math.sqrt(mean(gains.map((gain) => (gain - mean(gains)) ** 2)) / (gains.length - 1));
  const cells = [mean(gains).toFixed(2), `${low.toFixed(2)} … ${high.toFixed(2)}`, (mean(gains) / error).toFixed(1)];
  return [`| \`${run.name}\` | ${cells.join(' | ')} | ${gains.length} |`];
}

/** The row of a sweep whose jobs differ in their seeds: the mean over seeds with Student's t. */
function sweepRow(sweep: string): string[] {
  const gains = runs
    .filter((run) => run.sweep === sweep && run.name.startsWith(`${sweep}_`))
    .map(gainsOf)
    .filter(({ length }) => length > 0);
  if (gains.length < 2) return [];
  const means = gains.map(mean);
  const cells = [mean(means).toFixed(3), halfInterval(means, 3), (mean(means) / standardError(means)).toFixed(1)];
  return [`| \`${sweep}\`, ${gains.length} seeds | ${cells.join(' | ')} | ${gains.length} × ${gains[0].length} |`];
}

/** Words of a command in lines that a page has room for. */
const wrapped = (command: string): string =>
  command.split(' ').reduce((text, word) => {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    return line.length + word.length > 110 ? `${text} \\\n  ${word}` : `${text} ${word}`;
  });

const commandOf = ({ name, command, commit, date, minutes }: Run): string =>
  `# ${name}: ${date}, commit ${commit}, ${minutes.toFixed(0)} min\n${wrapped(`npx ${command}`)}`;

const runs = folders.map(readRun);
const curves = runs.map(curveRow).filter((row) => row !== null);
const gains = [...runs.flatMap(gainRow), ...[...new Set(runs.map(({ sweep }) => sweep))].flatMap(sweepRow)];
const environments = [...new Set(runs.map(({ environment }) => environment))];
const gainSection = `## What training from a clone adds

Last policy minus start on the same held-out episodes, sampled. The runs of \`bc_…\` without another \`algorithm\` imitate new games,
the others learn from episodes that they play. Intervals are bootstrap intervals over episodes; of several seeds, Student's t over
them.

| run | difference | interval | in standard errors | episodes |
|---|---|---|---|---|
${gains.join('\n')}

`;
writeFileSync(
  `experiments/clones/${pageName}.md`,
  `# Clones in ${environments.join(', ')}

Written by \`experiments/clones/table.ts\` from the runs below. One seed where a row does not say otherwise. The policies are made
here; they imitate games of our own experts on items for training, and the test is of held-out ones. Intervals are 95 %
bootstrap intervals over the episodes of the test. Decoding is free where nothing else is said; \`scored\` and \`constrained\` are
\`action_choice\`: the policy says nothing but actions that the environment lists as valid. The [README](README.md) says what the
tables show.

| environment | run | policy | decoding | return | interval | won | actions | episodes |
|---|---|---|---|---|---|---|---|---|
${runs.flatMap((run) => run.policies.filter(isTested).map((policy) => policyRow(run, policy))).join('\n')}

${gains.length > 0 ? gainSection : ''}## Held-out loss on the way

Nats per utterance of the expert on games that are not learned, after so many optimizer steps.

| run | loss (steps) |
|---|---|
${curves.join('\n')}

## Commands

Minutes are of one core of a machine with two, which other programs used too: on 22 November some twenty, later one or two, and
runs were stopped in between for benchmarks. A commit with + had changes that were committed after the run began.
Configs may have changed since: a command repeats its run at its commit.

\`\`\`sh
${runs.map(commandOf).join('\n')}
\`\`\`
`,
);
