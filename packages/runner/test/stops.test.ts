// Tests SIGTERM during an evaluation or a rollout: the run ends without waiting for it, and the same command then ends with the
// same bytes as a run that was not stopped. The environment itself sends the signal, so that its moment does not depend on time.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, whenExhaustive } from '@bowyer/testing';
import { repository, run } from './command-line.js';

const folder = newFolder();
beforeAll(async () => {
  await cp(join(repository, 'examples/own-task'), folder, { recursive: true });
  const file = join(folder, 'guess-number.ts');
  const begin = 'reset: ({ options: { highest }, rng }) => {';
  const source = await readFile(file, 'utf8');
  expect(source).toContain(begin);
  const counted = `if (String(++resets) === process.env.STOP_AT) process.kill(process.pid, 'SIGTERM');`;
  await writeFile(file, `${source.replace(begin, `${begin}\n    ${counted}`)}\nlet resets = 0;\n`);
});

const play = ['threads=1', 'slots=2', 'eval_size=8', 'test_size=4', 'demonstrations.count=32'];
const policy = ['policy.n_embd=16', 'policy.n_layer=1', 'policy.n_head=2'];
const loop = ['iterations=4', 'rollout_size=8', 'eval_freq=2', 'save_freq=3', 'warm_start.epochs=1', 'cache_dir=cache'];
const archer = [...loop, 'critic.width=8', 'warmup_iter=1', 'epochs=1', 'batch_size=16', 'capacity=100'];
const grpo = [...loop, 'group_size=4', 'diagnostics.turns=4'];
const passes = ['epochs=2', 'eval_freq=1', 'batch_size=8', 'validation_share=0.2'];

const bowyer = (algorithm: string, options: readonly string[], name: string, stopAt?: number) =>
  run(
    [
      '--config-dir',
      '.',
      '--config-name',
      'guess_number',
      `algorithm=${algorithm}`,
      ...play,
      ...policy,
      ...options,
      `save_path=${name}`,
    ],
    { cwd: folder, env: { STOP_AT: stopAt?.toString() } },
  );

/** Makes a run that is not stopped, one for each algorithm. */
async function undisturbed(algorithm: string, options: readonly string[]): Promise<string> {
  const name = `${algorithm}-whole`;
  if (!existsSync(join(folder, name)))
    expect(await bowyer(algorithm, options, name)).toMatchObject({ code: 0, signal: null });
  return name;
}

type Stop = [algorithm: string, at: string, reset: number, lines: number, options: string[]];

async function expectSameWhenStopped(...[algorithm, at, reset, lines, options]: Stop): Promise<void> {
  const name = `${algorithm}-${at.replaceAll(' ', '-')}`;
  const whole = await undisturbed(algorithm, options);
  const { code, stdout, stderr } = await bowyer(algorithm, options, `${name}-stopped`, reset);
  expect({ code, said: stdout + stderr }).toEqual({
    code: 0,
    said: expect.stringContaining(
      `stopped; the same command with save_path=${join(folder, name)}-stopped resumes it`,
    ) as string,
  });
  // The iteration or step whose evaluation was interrupted has no line.
  expect(text(`${name}-stopped`, 'metrics.jsonl').trim().split('\n').filter(Boolean)).toHaveLength(lines);
  expect(await bowyer(algorithm, options, `${name}-stopped`)).toMatchObject({ code: 0 });
  for (const file of filesOf(whole)) expect([file, text(`${name}-stopped`, file)]).toEqual([file, text(whole, file)]);
}

// An iteration begins 8 rollouts, and every second iteration 8 evaluations; bc begins with 32 demonstrations.
const title = '%s is stopped in %s and resumed';
test.each<Stop>([
  ['archer', 'a rollout', 8 + 8 + 8 + 4, 2, archer],
  ['bc', 'the second evaluation', 32 + 8 + 3, 1, passes],
])(title, expectSameWhenStopped, 300_000);
whenExhaustive().test.each<Stop>([
  ['archer', 'an evaluation', 8 + 8 + 4, 1, archer],
  ['grpo', 'the last evaluation', 4 * 8 + 8 + 3, 3, grpo],
  ['bc', 'the first evaluation', 32 + 3, 0, passes],
])(title, expectSameWhenStopped, 300_000);

const text = (...path: string[]) => readFileSync(join(folder, ...path), 'latin1');

function filesOf(name: string): string[] {
  const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' });
  const kept = files.filter((file) =>
    /(metrics\.jsonl|results\.json|\.safetensors|trajectories\/\w+\.jsonl)$/.test(file),
  );
  expect(kept.length).toBeGreaterThan(5);
  return kept;
}
