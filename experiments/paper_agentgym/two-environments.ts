// Writes experiments/paper_agentgym/two-environments.md from evaluations of runs of evolve_agentgym beside the runs of bc_agentgym that they began with:
//   node --conditions=source --import tsx experiments/paper_agentgym/two-environments.ts EVALUATION...
// EVALUATION: a folder of task=evaluate, with checkpoint_path=[run of evolve_agentgym] and compare_with=[run of bc_agentgym]; one a seed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { headCommit } from '../sweep-runs.js';

const PAGE = 'experiments/paper_agentgym/two-environments.md';

interface Interval {
  low: number;
  high: number;
}

interface Results {
  policies: { name: string; metrics: Record<string, number>; interval: Interval }[];
  comparisons: { meanDifference: number; interval: Interval; episodes: number }[];
  tasks: Record<string, { task: string; episodes: number; winRate: number }[]>;
}

interface Config {
  seed: number;
  checkpointPath: string;
  env: { envs: { name: string; backend?: string }[] };
}

type Line = Record<string, number>;

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));
const linesOf = (...path: string[]): Line[] =>
  readFileSync(join(...path), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const evaluations = process.argv.slice(2).map((folder) => {
  const { checkpointPath, env } = json(folder, 'run-config.json') as Config;
  const { seed } = json(checkpointPath, 'run-config.json') as Config;
  const results = json(folder, 'results.json') as Results;
  return { seed, envs: env.envs, results, iterations: linesOf(checkpointPath, 'metrics.jsonl') };
});

const range = ({ low, high }: Interval) => `${low.toFixed(3)} … ${high.toFixed(3)}`;
const [{ envs }] = evaluations;
const names = envs.map(({ name }) => name);

const rows = evaluations.flatMap(({ seed, results: { policies, tasks } }) =>
  // The agent of checkpoint_path comes first, and what it began with after it.
  [...policies].reverse().map(({ name, metrics, interval }, i) => {
    const own = names.map((env) => tasks[`${name} (sample)`].find(({ task }) => task === env)!.winRate.toFixed(3));
    const overall = `**${metrics['test/win_rate'].toFixed(3)}** | ${range(interval)}`;
    return `| ${seed} | ${i === 0 ? '`bc_agentgym`' : '`evolve_agentgym`'} | ${overall} | ${own.join(' | ')} | ${metrics['test/episodes']} |`;
  }),
);
// Each comparison is of the policy that the run began with, minus the run's own.
const gains = evaluations.flatMap(({ seed, results }) =>
  results.comparisons.map(({ meanDifference, interval: { low, high }, episodes }) => {
    const cells = [seed, (-meanDifference).toFixed(3), range({ low: -high, high: -low }), episodes];
    return `| ${cells.join(' | ')} |`;
  }),
);
const curve = evaluations.flatMap(({ seed, iterations }) =>
  iterations.map((line) => {
    const explored = names.map((name) => (line[`explore/success_rate/${name}`] ?? NaN).toFixed(3));
    const figures = [line['explore/kept'], line['explore/demonstrations'], (line['eval/win_rate'] ?? NaN).toFixed(3)];
    return `| ${seed} | ${line.iteration} | ${[...explored, ...figures].join(' | ')} |`;
  }),
);

mkdirSync(dirname(PAGE), { recursive: true });
writeFileSync(
  PAGE,
  `# Two of AgentGym's environments, before and after AgentEvol

Written by \`experiments/paper_agentgym/two-environments.ts\` at commit ${headCommit()}, from these commands for each seed. Both environments are served over
AgentGym's HTTP protocol, and training, evaluation and test play on the servers; the demonstrations are those of our own experts.

\`\`\`sh
npx bowyer --config-name serve_env env=wordle port=36001
npx bowyer --config-name serve_env env=maze port=36002
npx bowyer --config-name bc_agentgym \\
  "env.envs=[{name: wordle, backend: agentgym, base_url: 'http://127.0.0.1:36001'},\\
{name: maze, backend: agentgym, base_url: 'http://127.0.0.1:36002', max_steps: 15}]" \\
  seed=0 save_path=bc
npx bowyer --config-name evolve_agentgym \\
  "env.envs=[{name: wordle, backend: agentgym, base_url: 'http://127.0.0.1:36001'},\\
{name: maze, backend: agentgym, base_url: 'http://127.0.0.1:36002', max_steps: 15}]" \\
  seed=0 policy_lm=bc save_path=evolved
npx bowyer --config-name evolve_agentgym \\
  "env.envs=[{name: wordle, backend: agentgym, base_url: 'http://127.0.0.1:36001'},\\
{name: maze, backend: agentgym, base_url: 'http://127.0.0.1:36002', max_steps: 15}]" \\
  task=evaluate checkpoint_path=evolved compare_with=[bc] \\
  test_size=${evaluations[0].results.policies[0].metrics['test/episodes']} save_path=evaluation
node --conditions=source --import tsx experiments/paper_agentgym/two-environments.ts evaluation
\`\`\`

Share of sampled test episodes that succeed, with the 95 % bootstrap interval. The problems of ${names[0]} are numbers of the server
that neither training nor the choice of settings has played (its forty words are in all splits); the maze has its 25 starting
places in all splits. Random legal actions win 0.14 of the games of Wordle in six guesses, and 0.15 of the mazes in fifty moves.

| seed | agent | success | interval | ${names.join(' | ')} | episodes |
|---|---|---|---|${names.map(() => '---|').join('')}---|
${rows.join('\n')}

After minus before, on the same episodes:

| seed | difference | interval | episodes |
|---|---|---|---|
${gains.join('\n')}

## Iterations

Success of exploration in each environment, own episodes and demonstrations that are learned, success on evaluation problems after
the iteration.

Few own episodes are learned beside the demonstrations, since of each problem one success is kept and the maze has 25. The same
gain comes without exploration: eight more passes of \`bc_agentgym\` over its demonstrations (\`policy_lm=bc epochs=8\`, seed 0) reach
0.240 (0.18 … 0.30) on the same test. So this shows the path end to end, and no benefit of AgentEvol.

| seed | iteration | ${names.map((name) => `explored ${name}`).join(' | ')} | own | demonstrations | evaluation |
|---|---|${names.map(() => '---|').join('')}---|---|---|
${curve.join('\n')}
`,
);
process.stdout.write(`${PAGE}: ${evaluations.length} seeds\n`);
