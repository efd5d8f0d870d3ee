// Writes experiments/NAME/README.md from the runs of the study NAME, finished or not:
//   npx bowyer --config-name archer_20q +experiment=NAME hydra.sweep.dir=FOLDER
//   node --conditions=source --import tsx experiments/comparison-table.ts NAME FOLDER... (several where the sweep was run in parts)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mean, standardError } from '@bowyer/core';
import { finishedRuns, halfInterval, headCommit, testReturn, type Run, type Tested } from './sweep-runs.js';

interface TaskResult {
  task: string;
  episodes: number;
  meanReturn: number;
  winRate: number | null;
}

const [name, ...folders] = process.argv.slice(2);
if (name === undefined || folders.length === 0)
  throw new Error('give the name of the experiment and folders of its sweep');
const page = `experiments/${name}/README.md`;

const sweep = readFileSync(`experiments/${name}/experiment/${name}.yaml`, 'utf8');
const comments = sweep
  .split('\n')
  .filter((line) => line.startsWith('# ') && !/^# (@|yaml-language-server)/.test(line))
  .map((line) => line.slice(2));
const commands = comments.filter((line) => line.startsWith('  ')).map((line) => line.trim());
const question = comments
  .filter((line) => !line.startsWith('  '))
  .join('\n')
  .replace(/^Question: /, '');

const runs = finishedRuns(folders);

interface Row {
  label: string;
  run: Run;
  policy: Tested;
  tasks: TaskResult[];
}

/** The start of a run, where it has one, and what was best in evaluation, or last. */
function rowsOf(run: Run): Row[] {
  const { policies, tasks = {} } = run.results as Run['results'] & { tasks?: Record<string, TaskResult[]> };
  const start = policies.find((policy) => policy.name === 'warm start' || policy.name === 'start');
  const end = policies.findLast((policy) => policy !== start)!;
  const rowOf = (label: string, policy: Tested): Row => {
    const own = Object.entries(tasks).find(([key]) => key.startsWith(`${policy.name} (`))?.[1] ?? [];
    return { label, run, policy, tasks: own };
  };
  return [...(start ? [rowOf(`start of \`${run.algorithm}\``, start)] : []), rowOf(`\`${run.algorithm}\``, end)];
}

const rows = runs.flatMap(rowsOf);
const labels = [...new Set(rows.map(({ label }) => label))];
const taskNames = [...new Set(rows.flatMap(({ tasks }) => tasks.map(({ task }) => task)))].sort();
const figure = (value: number | null | undefined) => (Number.isFinite(value) ? value!.toFixed(2) : '–');

function line(label: string): string {
  const own = rows.filter((row) => row.label === label);
  const returns = own.map(({ policy }) => testReturn(policy));
  const wins = own.map(({ policy }) => policy.metrics['test/win_rate']);
  const { interval } = own[0].policy;
  const range =
    own.length > 1 || !interval ? halfInterval(returns, 2) : `${figure(interval.low)} … ${figure(interval.high)} *`;
  const ofTask = (task: string) =>
    figure(mean(own.map(({ tasks }) => tasks.find((found) => found.task === task)?.winRate ?? NaN)));
  const seeds = own.map(({ run }) => run.seed).join(', ');
  const gains = own.flatMap(({ run, policy }) => {
    const start = rows.find((row) => row.run === run && row.policy !== policy && row.label.startsWith('start'));
    return start && label !== start.label ? [testReturn(policy) - testReturn(start.policy)] : [];
  });
  const gain = gains.length === 0 ? '–' : `${figure(mean(gains))} ${halfInterval(gains, 2)}${errorsOf(gains)}`;
  const minutes = mean(own.map(({ run }) => run.seconds)) / 60;
  const cells = [
    label,
    seeds,
    `**${figure(mean(returns))}**`,
    range,
    gain,
    figure(mean(wins)),
    ...taskNames.map(ofTask),
  ];
  return `| ${[...cells, own[0].policy.metrics['test/episodes'], minutes.toFixed(0)].join(' | ')} |`;
}

/** A mean over seeds in its standard errors. */
const errorsOf = (values: readonly number[]): string =>
  values.length < 2 ? '' : `, ${(mean(values) / standardError(values)).toFixed(1)} s.e.`;

const dates = [...new Set(runs.map(({ date }) => date))].sort();
mkdirSync(dirname(page), { recursive: true });
writeFileSync(
  page,
  `# ${question[0].toUpperCase()}${question.split('\n')[0].slice(1)}

Written by \`experiments/comparison-table.ts\` from ${runs.length} finished runs of \`+experiment=${name}\` of ${dates.join(', ')}, after commit ${headCommit()}.

${question.split('\n').slice(1).join('\n')}

\`\`\`sh
${commands.map((command) => (command.includes('+experiment=') ? `${command} hydra.sweep.dir=FOLDER` : command)).join('\n')}
node --conditions=source --import tsx experiments/comparison-table.ts ${name} FOLDER
\`\`\`

Actions are sampled, and the items of the test are held out. Intervals of the mean return are 95 % intervals of Student's t over
seeds; * marks one seed, with a bootstrap interval over its test episodes. The gain is the difference to the start of the same
run, with its interval and in standard errors (s.e.) over seeds. The column \`win\`, and the columns of single games after it, are
shares of episodes won. Minutes are those of a run, with evaluations and test, on one thread of a busy machine.

| agent | seeds | return | interval | gain | win | ${taskNames.map((task) => `${task} | `).join('')}episodes | minutes |
|---|---|---|---|---|---|${taskNames.map(() => '---|').join('')}---|---|
${labels.map(line).join('\n')}
`,
);
process.stdout.write(`${page}: ${join(...folders)}, ${runs.length} runs\n`);
