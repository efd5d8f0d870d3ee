// The section of a results page on the search for learning rates: the searches of experiments/paper_20q_rates.yaml.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** @param folder of the searches, one a method: FOLDER/METHOD */
export function ratesSection(folder: string): string {
  const methods = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'multirun.yaml')));
  const searches = methods.map((method) => ({ method, trials: trialsOf(join(folder, method)) }));
  const complete = searches.filter(({ trials }) => trials.length > 0 && trials.every(({ rungs }) => rungs.length > 0));
  const rows = complete.map(({ method, trials }) => {
    const best = bestOf(trials);
    const [key] = best.rate.split('=');
    return `| \`${method}\` | \`${key}\` | ${trials.map((trial) => `${rateOf(trial)}: ${cellOf(trial, trial === best)}`).join(' | ')} |`;
  });
  const seconds = complete.flatMap(({ trials }) => trials.map((trial) => trial.seconds));
  const minutes = (seconds.reduce((sum, value) => sum + value, 0) / 60).toFixed(0);
  return `## How the rates were found

\`\`\`sh
npx bowyer --config-name archer_20q algorithm=ppo +experiment=paper_20q_rates hydra.sweep.dir=RATES/ppo  # for each method
\`\`\`

Successive halving of four rates for each method: 12 iterations of all, 24 of the better two, from a start of a seed
that is none of the comparison's, compared by 200 evaluation episodes (standard error about 0.3), never by the test.
All searches together:
${minutes} minutes on one thread of a busy machine. Each cell: the rate, and the mean return after 12 and after 24 iterations.

| method | key | | | | |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
