// The section of experiments/paper_20q/README.md on what of ArCHer decides: short runs of one seed with other settings of its critic.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mean } from '@bowyer/core';

interface Turn {
  reward: number;
  /** The information of Twenty Questions. */
  info: { repeated?: boolean };
  /** V(s) and A(s, a) as the policy's update saw them; absent in iterations that do not train it. */
  v?: number;
  advantage?: number;
}

type Line = Record<string, number>;

interface Look {
  settings: Record<string, string>;
  evaluations: Line[];
  /** The correlation of A(s, a) with the return from the turn on minus V(s). */
  correlation: number;
  /** Mean A(s, a) of questions that repeat an earlier one less that of the others, and the same of what the episodes say it was. */
  repeats: [number, number];
}

/** A turn's A(s, a), the return from it on minus V(s), and whether it repeats an earlier one. */
interface Judged {
  advantage: number;
  outcome: number;
  repeats: boolean;
}

const GAMMA = 0.95;
const keys = ['lm_lr', 'capacity', 'td_steps', 'epochs', 'warmup_iter', 'actor_samples', 'importance_clip'];
/** The defaults of experiments/methods_20q/sweep.yaml. */
const defaults: Record<string, string> = {
  capacity: '7000',
  td_steps: '1',
  epochs: '20',
  warmup_iter: '8',
  actor_samples: 'rollout',
  importance_clip: 'null',
};

const linesOf = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

function lookOf(folder: string): Look {
  const { overrides } = JSON.parse(readFileSync(join(folder, 'sweep-job.json'), 'utf8')) as { overrides: string[] };
  const given = Object.fromEntries(overrides.map((override) => override.split('=') as [string, string]));
  const episodes = linesOf<{ turns: Turn[] }>(join(folder, 'trajectories', 'rollout.jsonl'));
  const all = episodes.flatMap(({ turns }) => judged(turns));
  return {
    settings: Object.fromEntries(keys.map((key) => [key, given[key] ?? defaults[key]])),
    evaluations: linesOf<Line>(join(folder, 'metrics.jsonl')).filter((line) => 'eval/episodic_return' in line),
    correlation: correlation(all.map(({ advantage, outcome }) => [advantage, outcome])),
    repeats: [costOfRepeats(all, 'advantage'), costOfRepeats(all, 'outcome')],
  };
}

function costOfRepeats(all: readonly Judged[], key: 'advantage' | 'outcome'): number {
  const of = (repeats: boolean) => mean(all.filter((turn) => turn.repeats === repeats).map((turn) => turn[key]));
  return of(true) - of(false);
}

function judged(turns: readonly Turn[]): Judged[] {
  let rest = 0;
  const returns = turns.map(() => 0);
  for (let t = turns.length - 1; t >= 0; t--) returns[t] = rest = turns[t].reward + GAMMA * rest;
  return turns.flatMap(({ v, advantage, info }, t) =>
    v === undefined || advantage === undefined
      ? []
      : [{ advantage, outcome: returns[t] - v, repeats: info.repeated === true }],
  );
}

function correlation(pairs: readonly [number, number][]): number {
  const [x, y] = [mean(pairs.map(([a]) => a)), mean(pairs.map(([, b]) => b))];
  const sum = (f: (a: number, b: number) => number) => pairs.reduce((total, [a, b]) => total + f(a - x, b - y), 0);
  return sum((a, b) => a * b) / Math.sqrt(sum((a) => a * a) * sum((_, b) => b * b));
}

const fixed = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? '–' : value.toFixed(2));

/** @param sweeps folders of runs of 24 iterations of seed 100 */
export function archerSection(sweeps: readonly string[]): string {
  const folders = sweeps.flatMap((sweep) =>
    readdirSync(sweep)
      .map((name) => join(sweep, name))
      .filter((folder) => existsSync(join(folder, 'sweep-job.json')) && existsSync(join(folder, 'results.json'))),
  );
  const looks = folders.map(lookOf).filter(({ evaluations }) => evaluations.length === 2);
  const used = keys.filter((key) => new Set(looks.map(({ settings }) => settings[key])).size > 1);
  const rows = looks
    .sort((a, b) => b.evaluations[1]['eval/episodic_return'] - a.evaluations[1]['eval/episodic_return'])
    .map(({ settings, evaluations: [first, last], correlation: agreement, repeats }) => {
      const cells = [
        ...used.map((key) => settings[key]),
        fixed(first['eval/episodic_return']),
        `**${fixed(last['eval/episodic_return'])}**`,
        fixed(last['eval/repeated_share']),
        `${fixed(last['eval/q_mean'])} / ${fixed(last['eval/discounted_return_mean'])}`,
        fixed(agreement),
        repeats.map(fixed).join(' / '),
      ];
      return `| ${cells.join(' | ')} |`;
    });
  return `## The settings of ArCHer that decide

\`\`\`sh
npx bowyer -m --config-name archer_20q preset=methods_20q launcher=local launcher.jobs=1 \\
  seed=100 lm_lr_final_share=1 test_size=1 iterations=24 lm_lr=3e-4 capacity=1500 td_steps=1,null hydra.sweep.dir=LOOK
\`\`\`

Runs of 24 iterations from the start of the search for rates, compared by 200 evaluation episodes: return after 12 and
after 24, share of questions that repeat an earlier one, mean Q beside the mean discounted return, and the correlation
of A(s, a) with what the episode says it was, G − V(s), over all turns that the policy was trained on. The critic has
seen these episodes before it judges them, so more steps on whole returns raise it in any case. The last column is what a
repeated question costs beside a new one: mean A(s, a) of the one less that of the other, and the same of G − V(s). A
repeated question brings nothing, and the critic sees only a part of that.

| ${used.map((key) => `\`${key}\``).join(' | ')} | after 12 | after 24 | repeated | Q / return | correlation | a repeat costs |
|${used.map(() => '---|').join('')}---|---|---|---|---|---|
${rows.join('\n')}
`;
}
