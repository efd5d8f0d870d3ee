// Tests a run while the clock is set back and forth by a day several times a second: its results must have the same bytes as
// without, its loggers must lose nothing, and a second process must never get its folder. The run is killed once. It needs
// Debian's package `faketime`, which changes the time of day for a process, but not the clock for durations.
//   nice node --conditions=source --import tsx benchmarks/clock-jumps.ts
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../packages/runner/test/command-line.js';
import { differentFiles, resultFiles, tinyGame } from './tiny-runs.js';

const library = readdirSync('/usr/lib')
  .map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`)
  .find(existsSync);
if (library === undefined) throw new Error('libfaketime is not installed\n  apt-get install faketime');
const directory = mkdtempSync(join(tmpdir(), 'bowyer-clock-'));
const clock = join(directory, 'clock');
const jumping = {
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: clock,
  FAKETIME_NO_CACHE: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
};

const command = (name: string) => [
  ...tinyGame,
  'algorithm=grpo',
  'kl_coefficient=0.01',
  'warm_start.epochs=2',
  'iterations=30',
  'rollout_size=16',
  'save_freq=1',
  'eval_freq=2',
  'logger=[wandb,tensorboard,csv]',
  `save_path=${join(directory, name)}`,
  `cache_dir=${join(directory, `${name}-cache`)}`,
];
const offline = { WANDB_MODE: 'offline' };

let jumps = 0;
const days = ['+0', '+1d', '-1d'];
writeFileSync(clock, days[0]);
const setting = setInterval(() => writeFileSync(clock, days[++jumps % days.length]), 300);

const whole = await run(command('whole'), { env: offline });
if (whole.code !== 0) throw new Error(whole.stderr);
const lock = join(directory, 'jumped', 'run.lock');
const first = run(command('jumped'), {
  env: { ...offline, ...jumping },
  killWhen: () => refusals.asked === 1 && linesOf('jumped/metrics.jsonl') >= 3,
});
const refusals = { asked: 0, refused: 0 };
while (!existsSync(lock)) await new Promise((resolve) => setTimeout(resolve, 20));
await askForFolder();
const dead = readFileSync(lock, 'utf8');
const { signal } = await first;
const resumed = run(command('jumped'), { env: { ...offline, ...jumping } });
const owner = () => (existsSync(lock) ? readFileSync(lock, 'utf8') : '');
while (['', dead].includes(owner())) await new Promise((resolve) => setTimeout(resolve, 20));
await askForFolder();
const { code, stderr } = await resumed;
clearInterval(setting);

/** Starts another process on the same folder, while the first one works there. */
async function askForFolder(): Promise<void> {
  const { stderr: said } = await run(command('jumped'), { env: { ...offline, ...jumping } });
  refusals.asked++;
  refusals.refused += Number(/process \d+ on .* is at work on the run/.test(said));
}

function linesOf(file: string): number {
  const path = join(directory, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}

const files = resultFiles(join(directory, 'whole'));
const different = differentFiles(join(directory, 'whole'), join(directory, 'jumped'));
console.log(`exit code ${code}${code === 0 ? '' : `: ${stderr}`}, killed once: ${signal === 'SIGKILL'}`);
console.log(`the clock was set ${jumps} times; second processes: ${refusals.refused} of ${refusals.asked} refused`);
console.log(
  `${files.length} files compared: ${different.length === 0 ? 'equal' : `different: ${different.join(', ')}`}`,
);
if (code !== 0 || different.length > 0 || refusals.refused < refusals.asked) process.exitCode = 1;
else rmSync(directory, { recursive: true });
