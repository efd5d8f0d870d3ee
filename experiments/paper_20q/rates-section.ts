// The section of a results page on the search for learning rates: the searches of experiments/paper_20q/sweep.yaml.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';

interface Trial {
  rate: string;
  /** Mean return of the evaluation at the end of each rung that it reached. */
  rungs: { resource: number; value: number }[];
  seconds: number;
}

interface Job {
  overrides: string[];
  rungs?: Trial['rungs'];
  seconds: number;
}

function trialsOf(sweep: string): Trial[] {
  const folders = readdirSync(sweep).filter((name) => existsSync(join(sweep, name, 'sweep-job.json')));
  const trials = folders.map((name) => {
    const job = JSON.parse(readFileSync(join(sweep, name, 'sweep-job.json'), 'utf8')) as Job;
    const rate = job.overrides.find((override) => /^(lm|critic)_lr=/.test(override))!;
    return { rate, rungs: job.rungs ?? [], seconds: job.seconds };
  });
  return trials.sort((a, b) => rateOf(a) - rateOf(b));
}

const rateOf = ({ rate }: Trial) => Number(rate.split('=')[1]);

function cellOf({ rungs }: Trial, isBest: boolean): string {
  const text = rungs.map(({ value }) => value.toFixed(2)).join(' → ');
  return isBest ? `**${text}**` : text;
}

/** The best of those that trained longest. */
const bestOf = (trials: readonly Trial[]): Trial =>
  trials.reduce((a, b) => {
    const [ofA, ofB] = [a.rungs.length, b.rungs.length];
    return ofB > ofA || (ofB === ofA && b.rungs.at(-1)!.value > a.rungs.at(-1)!.value) ? b : a;
  });

/** The trials of all folders; of a rate that several have, the one that trained longest. */
function joint(folders: readonly string[]): Trial[] {
  const byRate = new Map<number, Trial>();
  for (const trial of folders.flatMap(trialsOf)) {
    const known = byRate.get(rateOf(trial));
    if (!known || known.rungs.length < trial.rungs.length) byRate.set(rateOf(trial), trial);
  }
  return [...byRate.values()].sort((a, b) => rateOf(a) - rateOf(b));
}

/**
 * @param folders of searches, one a method: FOLDER/METHOD; several where a search was continued at other rates
 * @param overrides of all searches, beside the experiment
 */
export function ratesSection(folders: readonly string[], overrides: string): string {
  const ofMethod = (method: string) =>
    folders.map((folder) => join(folder, method)).filter((sweep) => existsSync(join(sweep, 'multirun.yaml')));
  const methods = [...new Set(folders.flatMap((folder) => readdirSync(folder)))].sort();
  const searches = methods.map((method) => ({ method, trials: joint(ofMethod(method)) }));
  const complete = searches.filter(({ trials }) => trials.length > 0 && trials.every(({ rungs }) => rungs.length > 0));
  const rows = complete.map(({ method, trials }) => {
    const best = bestOf(trials);
    const [key] = best.rate.split('=');
    const cells = trials.map((trial) => `${rateOf(trial)}: ${cellOf(trial, trial === best)}`);
    return `| \`${method}\` | \`${key}\` | ${cells.join(' | ')} |`;
  });
  const seconds = complete.flatMap(({ trials }) => trials.map((trial) => trial.seconds));
  const columns = maximum(complete.map(({ trials }) => trials.length));
  const continued =
    folders.length > 1
      ? 'Where the lowest rate was the best of four, the search was repeated at two or three lower ones.\n'
      : '';
  const minutes = (seconds.reduce((sum, value) => sum + value, 0) / 60).toFixed(0);
  return `## How the rates were found

\`\`\`sh
# for each method:
npx bowyer --config-name archer_20q algorithm=ppo +experiment=paper_20q_rates${overrides} \\
  hydra.sweep.dir=RATES/ppo
\`\`\`

Successive halving of four rates for each method: 12 iterations of all, 24 of the better two, from a start of a seed
that is none of the comparison's, compared by 200 evaluation episodes (standard error about 0.3), never by the test.
${continued}All searches together: ${minutes} minutes on one thread. Each cell: the rate, and the mean return after 12 and after 24 iterations.

| method | key |${' |'.repeat(columns)}
|---|---|${'---|'.repeat(columns)}
${rows.join('\n')}
`;
}
