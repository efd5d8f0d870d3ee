// Learning from rollouts of a server on the exact game, whose optimum is known: by the policy itself, by `serve_model` whose weights
// follow the run, and by `serve_model` whose weights stay those of the start. Writes benchmarks/remote-policy.md.
//   nice node --conditions=source --import tsx benchmarks/remote-policy.ts FOLDER [COMMIT] [page]
// Runs that are finished in FOLDER are not run again; with `page` none is, and the page is of those that are.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PAGE = 'benchmarks/remote-policy.md';
const ITERATIONS = 40;
const ALGORITHMS = { rloo: [], archer: ['importance_clip=5'] } as const;
const PLAYERS = {
  itself: 'the policy itself',
  follows: 'a server that follows the run',
  stays: 'a server of the start',
};
type Player = keyof typeof PLAYERS;

const [given, commit = headCommit(), only] = process.argv.slice(2);
const folder = resolve(given);
mkdirSync(folder, { recursive: true });
const start = join(folder, 'start');
const program = [process.execPath, 'packages/runner/bin/bowyer.js'] as const;

function headCommit(): string {
  return spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout.trim();
}

/** The commands that a reader would type, without the places. */
const shown: string[] = [];
function bowyer(args: readonly string[]): void {
  shown.push(
    `npx bowyer ${args.join(' ')}`.replaceAll(`${folder}/`, '').replace(/http:\S+/, 'http://127.0.0.1:8000/v1'),
  );
  const save = args.find((one) => one.startsWith('save_path='))!.slice('save_path='.length);
  if (only === 'page' || existsSync(join(save, 'results.json'))) return;
  const { status } = spawnSync(program[0], [program[1], ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`exit code ${status}: ${args.join(' ')}`);
}

/** Runs `work` with the address of a server. */
async function served(args: readonly string[], work: (url: string) => void): Promise<void> {
  const all = ['--config-name', 'serve_model', `model=${start}`, ...args];
  shown.push(`npx bowyer ${[...all, 'slots=64', 'port=8000'].join(' ')}`.replaceAll(`${folder}/`, ''));
  if (only === 'page') return work('http://127.0.0.1:8000/v1');
  const server = spawn(program[0], [program[1], ...all, 'slots=64', 'threads=1', 'port=0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((found, fail) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += String(part);
      const match = /is served at (\S+)/.exec(text);
      if (match) found(match[1]);
    });
    server.once('exit', (code) => fail(new Error(`the server ended with exit code ${code}: ${text}`)));
  });
  // Else its output fills the pipe.
  server.stdout.resume();
  try {
    work(url);
  } finally {
    const ended = new Promise((done) => server.once('exit', done));
    server.kill('SIGINT');
    await ended;
  }
}

const game = ['--config-name', 'archer_20q', 'env=tabular', 'preset=exact_game'];
bowyer([...game, 'algorithm=bc', `save_path=${start}`]);
for (const [algorithm, keys] of Object.entries(ALGORITHMS))
  for (const player of Object.keys(PLAYERS) as Player[]) {
    const run = join(folder, `${algorithm}_${player}`);
    if (only === 'page' && !existsSync(join(run, 'results.json'))) continue;
    const common = [
      ...game,
      `algorithm=${algorithm}`,
      `policy_lm=${start}`,
      ...keys,
      `iterations=${ITERATIONS}`,
      'eval_freq=4',
      'save_freq=1',
    ];
    const train = (...more: string[]) => bowyer([...common, ...more, `save_path=${run}`]);
    if (player === 'itself') train();
    else await served(player === 'follows' ? [`follow=${run}`] : [], (url) => train(`remote_policy.base_url=${url}`));
  }

type Line = Record<string, number | undefined>;
const linesOf = (run: string) =>
  readFileSync(join(folder, run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const last = (lines: readonly Line[], key: string) => lines.findLast((line) => line[key] !== undefined)?.[key];
const text = (value: number | undefined, digits = 2) => (value === undefined ? '–' : value.toFixed(digits));

const rows = Object.keys(ALGORITHMS).flatMap((algorithm) =>
  Object.entries(PLAYERS).flatMap(([player, name]) => {
    const run = `${algorithm}_${player}`;
    if (!existsSync(join(folder, run, 'results.json'))) return [];
    const lines = linesOf(run);
    const { policies } = JSON.parse(readFileSync(join(folder, run, 'results.json'), 'utf8')) as {
      policies: { metrics: Line; interval: { low: number; high: number } }[];
    };
    const { metrics, interval } = policies.at(-1)!;
    const at = (share: number) =>
      lines.find(({ iteration }) => iteration === share * ITERATIONS)?.['eval/episodic_return'];
    const weights = last(lines, 'actor/clip_fraction') ?? last(lines, 'actor/importance_weight_mean');
    return [
      `| \`${algorithm}\` | ${name} | ${[0.1, 0.3, 0.5, 1].map((share) => text(at(share))).join(' | ')} | **${text(metrics['test/episodic_return'])}** | ${text(interval.low)} … ${text(interval.high)} | ${text(last(lines, 'actor/kl_sampling'), 3)} | ${text(weights)} |`,
    ];
  }),
);

/** A command in lines of at most 120 columns. */
function broken(command: string): string {
  const lines = [''];
  for (const word of command.split(' ')) {
    const line = `${lines.at(-1)!}${lines.at(-1)!.trim() === '' ? '' : ' '}${word}`;
    if (line.length <= 120) lines[lines.length - 1] = line;
    else lines.push(`  ${word}`);
  }
  return lines.join(' \\\n');
}

writeFileSync(
  PAGE,
  `# Learning from the rollouts of a server

Written by \`benchmarks/remote-policy.ts\` at commit ${commit}:

\`\`\`sh
node --conditions=source --import tsx benchmarks/remote-policy.ts FOLDER
\`\`\`

The game \`tabular\`, whose optimum is 1.714. All runs begin with the same policy, which has imitated a
poor player (0.3), and learn from ${ITERATIONS} rollouts of 64 episodes; one seed. What differs is who plays the rollouts: the
policy itself; \`serve_model\` with \`follow\`, which takes up each checkpoint of the run; or \`serve_model\` with the weights of the
start, which is further from the policy with each update. \`rloo\` corrects by the clipped ratio, \`archer\` by weights up to 5. A
run without a correction is refused, so there is none here.

| algorithm | rollouts by | 10 % | 30 % | 50 % | 100 % | test | interval | KL to the player | clipped, or mean weight |
|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

10 % … 100 %: return in evaluations of 300 episodes by the policy that learns, after so much of the iterations. Test: 1,000
episodes, sampled, with a 95 % bootstrap interval. KL: \`actor/kl_sampling\` of the last iteration, nats a token. Last column:
of \`rloo\` the share of tokens whose ratio is clipped, of \`archer\` the mean weight.

## Commands

Each server runs in a terminal of its own.

\`\`\`sh
${shown.map(broken).join('\n')}
\`\`\`
`,
);
