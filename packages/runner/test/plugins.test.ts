// Tests plugins from a folder outside the repository: the examples run as a user runs copies of them.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { newFolder, answerRequests } from '@bowyer/testing';
import { repository, run, succeeds } from './command-line.js';
import { shellWords } from './documented-commands.js';

const outside = newFolder();
cpSync(join(repository, 'examples/own-environment'), join(outside, 'smallest'), { recursive: true });
cpSync(join(repository, 'examples/own-task'), join(outside, 'mine'), { recursive: true });
cpSync(join(repository, 'examples/own-algorithm'), join(outside, 'algo'), { recursive: true });

const bowyer = (...args: string[]) => run(args, { cwd: outside });
const guessNumber = (...args: string[]) => bowyer('--config-dir', './mine', '--config-name', 'guess_number', ...args);
const reinforce = (...args: string[]) => bowyer('--config-dir', './algo', '--config-name', 'reinforce_20q', ...args);

const text = (...path: string[]) => readFileSync(join(outside, ...path), 'utf8');
const metrics = (folder: string) =>
  text(folder, 'metrics.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);

test('a folder beside a clone needs one line of tsconfig.json for its types', () => {
  const extended = relative(join(outside, 'mine'), join(repository, 'tsconfig.plugin.json'));
  writeFileSync(join(outside, 'mine', 'tsconfig.json'), JSON.stringify({ extends: extended }));
  const compiler = join(repository, 'node_modules', 'typescript-7', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '--project', 'mine'], { cwd: outside });
});

const tiny = [
  'threads=1',
  'cache_dir=cache',
  'policy.n_embd=16',
  'policy.n_layer=1',
  'policy.n_head=2',
  'demonstrations.count=64',
  'warm_start.epochs=2',
  'rollout_size=8',
  'slots=8',
  'eval_freq=2',
  'eval_size=8',
  'test_size=8',
  'save_freq=1',
];
const tinyArcher = [...tiny, 'critic.width=16', 'warmup_iter=1', 'epochs=2', 'batch_size=16', 'capacity=200'];

test('the logger of docs/extending/logger.md is called by a run', async () => {
  const page = readFileSync(join(repository, 'docs/extending/logger.md'), 'utf8');
  writeFileSync(join(outside, 'slack.ts'), /```ts\n\/\/ slack\.ts\n([\s\S]*?)```/.exec(page)![1]!);
  const command = /^npx bowyer (.*)$/m.exec(page)![1]!;
  const posted: string[] = [];
  const server = await answerRequests<{ text: string }>(({ json: { text } }) => ({ posted: posted.push(text) }));
  const url = `${server.address}/`;
  const words = shellWords(command).map((word) => word.replace('https://…', url));
  const short = ['env.max_turns=4', 'iterations=2', 'save_path=logged', 'run_name=mine'];
  await succeeds(bowyer(...words, ...tinyArcher, ...short));
  server.close();
  expect(posted).toEqual([expect.stringMatching(/^mine \d: -\d/), 'mine: finished']);
}, 120_000);

describe('an environment of one’s own', () => {
  test('that is stated in two functions and an expert is trained on', async () => {
    const smallest = ['--config-dir', './smallest', '--config-name', 'guess_number'];
    const { code } = await bowyer(...smallest, ...tiny, 'batch_size=16', 'iterations=2', 'save_path=smallest-run');
    expect(code).toBe(0);
    expect(metrics('smallest-run')).toHaveLength(2);
  });

  test('is trained on and evaluated', async () => {
    await succeeds(guessNumber(...tinyArcher, 'iterations=2', 'save_path=run'));
    const results = JSON.parse(text('run', 'results.json')) as { iterations: number; policies: { name: string }[] };
    expect(results.iterations).toBe(2);
    expect(results.policies.map(({ name }) => name)).toEqual(['warm start', 'last', 'best (iteration 2)']);
    expect(metrics('run').at(-1)).toHaveProperty('rollout/invalid_share');

    const evaluated = await guessNumber('task=evaluate', 'checkpoint_path=run', 'test_size=8', 'save_path=evaluated');
    expect(evaluated.stdout).toContain('sampled play on 8 held-out episodes');
  });

  test.each([
    ['played', ['task=play'], ''],
    [
      'imitated',
      ['task=demonstrations', 'demonstrations.count=2'],
      'the demonstrations of guess_number cannot be played: guess_number',
    ],
  ])('that breaks the contract is named when it is %s', async (_, task, who) => {
    const source = text('mine', 'guess-number.ts').replace('reward: terminated ? 0 : -1', "reward: '-1' as never");
    writeFileSync(join(outside, 'mine', 'broken-reward.ts'), source);
    const words = ['plugins=[mine/broken-reward.ts]', ...task, 'save_path=broken-reward'];
    const { code, stderr } = await run(['--config-dir', './mine', '--config-name', 'guess_number', ...words], {
      cwd: outside,
      stdin: '5\n',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /, step 1 of the episode of reset\(\{"seed":\d+\}\): a clause of the contract of environments is broken\n {2}- rewards must be finite numbers; got the text "-1"\n/,
    );
    expect(stderr).toContain(who === '' ? '\nguess_number, step 1' : who);
  });

  test('takes no option that its schema lacks', async () => {
    const { code, stderr } = await guessNumber('+env.lowest=0');
    expect(code).toBe(1);
    expect(stderr).toContain(
      "Unknown config key 'env.lowest'\n    in command line: +env.lowest=0\n    known keys in 'env': name, highest, max_turns\n",
    );
  });
});

describe('a task of one’s own', () => {
  test('runs, and is described by --help', async () => {
    const { code, stdout } = await guessNumber('task=measure_expert', 'env.highest=3', 'save_path=measured');
    expect(code).toBe(0);
    // The middle one of three numbers is guessed first, so that a game has one or two guesses.
    expect(stdout).toMatch(/^mean return of the expert over 1000 episodes: -0\.[67]\d\n$/);
    const help = await guessNumber('task=measure_expert', '--help', 'task');
    expect(help.stdout).toContain('task.episodes=1000  (integer ≥ 1)\n      episodes to play');
  });

  test('refuses what its own check refuses, with file and line', async () => {
    const { code, stderr } = await guessNumber('task=measure_expert', 'env=maze');
    expect(code).toBe(1);
    expect(stderr).toContain('task=measure_expert plays guess_number only\n');
    expect(stderr).toContain('write env=guess_number\n');
  });

  test('is swept over by processes that load the plugin too', async () => {
    const sweep = ['-m', 'launcher=local', 'task=measure_expert', 'episodes=5', 'env.highest=2,3'];
    const { code, stdout } = await guessNumber(...sweep, 'hydra.sweep.dir=sweep');
    expect(code).toBe(0);
    expect(stdout).toContain('#1 env.highest=3  finished');
    expect(text('sweep/1/job.log')).toContain('mean return of the expert over 5 episodes');
  });
});

describe('an algorithm of one’s own', () => {
  test('trains, and its state survives a restart', async () => {
    // Its learning rate is constant, so that the number of iterations does not change the first iteration.
    const short = [...tiny, 'env.max_turns=4', 'eval_freq=1'];
    await succeeds(reinforce(...short, 'iterations=1', 'save_path=stopped'));
    await reinforce(...short, 'iterations=2', 'save_path=stopped');
    await reinforce(...short, 'iterations=2', 'save_path=whole');
    expect(text('stopped/metrics.jsonl')).toBe(text('whole/metrics.jsonl'));
    expect(metrics('whole').at(-1)).toHaveProperty('train/baseline');
    expect(JSON.parse(text('stopped/results.json'))).toMatchObject({ iterations: 2 });
  });
});

describe('a plugin that cannot be loaded', () => {
  const REMEDY =
    '  a plugin is a module that calls registerAlgorithm, registerEnvironment or registerTask: docs/extending';
  const STACK = '\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n';

  /** Returns the error for a plugin with that source, which line 9 of a config names. */
  async function errorOf(name: string, source: string | null): Promise<string> {
    if (source !== null) writeFileSync(join(outside, 'mine', `${name}.ts`), source);
    const config = text('mine', 'guess_number.yaml').replace('./guess-number.ts', `./${name}.ts`);
    writeFileSync(join(outside, 'mine', `${name}.yaml`), config);
    const { code, stderr } = await bowyer('--config-dir', 'mine', '--config-name', name);
    expect(code).toBe(1);
    return stderr;
  }

  test('a syntax error', async () => {
    expect(await errorOf('broken', 'export const x = ;\n')).toBe(
      `plugins: '${outside}/mine/broken.ts' failed to load: Transform failed with 1 error:\n` +
        `${outside}/mine/broken.ts:1:17: ERROR: Unexpected ";"\n` +
        `  in mine/broken.yaml:9\n${REMEDY}\n${STACK}`,
    );
  });

  test('a file that does not exist', async () => {
    expect(await errorOf('absent', null)).toBe(
      `plugins: there is no file '${outside}/mine/absent.ts'\n` +
        '  in mine/absent.yaml:9\n' +
        '  a relative path starts at the folder of the file that names it; one of the command line, at the working directory\n' +
        STACK,
    );
  });

  test('a name that is taken', async () => {
    const source =
      "import { environmentInfo, registerEnvironment } from '@bowyer/envs';\n" +
      "registerEnvironment({ ...environmentInfo('maze') });\n";
    expect(await errorOf('twice', source)).toBe(
      `plugins: '${outside}/mine/twice.ts' failed to load: the environment 'maze' is registered already\n` +
        `  in mine/twice.yaml:9\n${REMEDY}\n${STACK}`,
    );
  });

  test('an environment whose plugin is not named', async () => {
    const { code, stderr } = await guessNumber('plugins=[]');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ *Config key 'env\.name' must be one of 'academia', .*, not the text 'guess_number'$/m);
    expect(stderr).toMatch(/^ *in mine\/env\/guess_number\.yaml:2$/m);
    // Only the name is refused, since the keys of an unknown unit are unknown.
    expect(stderr.match(/onfig key '/g)).toHaveLength(1);
  });
});
