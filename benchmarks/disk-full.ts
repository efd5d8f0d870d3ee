// Tests every task that writes, on a disk that becomes full at several points: it must end with exit code 1 and a message with
// the file and the free space, and with space again, the same command must end with the same bytes as without a full disk. Table
// in docs/reliability.md. The disk is a tmpfs, so this needs Linux and the right to mount.
//   nice node --conditions=source --import tsx benchmarks/disk-full.ts [TASK,…]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, tinyGame } from '../packages/runner/test/command-line.js';

const directory = mkdtempSync(join(tmpdir(), 'bowyer-disk-'));
const disk = join(directory, 'disk');
const agent = join(directory, 'agent');
const model = join(agent, 'checkpoints', 'best');
mkdirSync(disk);
const input = (name: string, ...lines: object[]) => {
  writeFileSync(join(directory, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return join(directory, name);
};

const prompts = Array.from({ length: 300 }, (_, i) => ({ prompt: `Questions:${' is it'.repeat(i % 9)}` }));
const game = [...tinyGame('archer_20q'), 'threads=1'];

/** The command of each task, which writes into `folder`. */
const tasks: Readonly<Record<string, (folder: string) => string[]>> = {
  train: (folder) => [...game, `save_path=${folder}/run`, `cache_dir=${folder}/cache`],
  bc: (folder) => [...tinyGame('bc_20q'), 'threads=1', `save_path=${folder}/run`],
  evaluate: (folder) => [
    '--config-name',
    'bc_20q',
    'task=evaluate',
    `checkpoint_path=${agent}`,
    'test_size=40',
    'threads=1',
    `save_path=${folder}/run`,
  ],
  demonstrations: (folder) => [
    '--config-name',
    'archer_20q',
    'task=demonstrations',
    'demonstrations.count=300',
    `save_path=${folder}/run`,
  ],
  generate: (folder) => [
    '--config-name',
    'generate',
    `model=${model}`,
    `input=${input('prompts.jsonl', ...prompts)}`,
    `output=${folder}/texts.jsonl`,
    'max_new_tokens=6',
    'threads=1',
    `save_path=${directory}/generate`,
  ],
  score: (folder) => [
    '--config-name',
    'score',
    `model=${model}`,
    `input=${input('pairs.jsonl', ...prompts.map((line) => ({ ...line, continuation: ' is it a dog?' })))}`,
    `output=${folder}/scores.jsonl`,
    'threads=1',
    `save_path=${directory}/score`,
  ],
  convert: (folder) => [
    '--config-name',
    'convert',
    `input=${model}/model.safetensors`,
    `output=${folder}/converted`,
    `config=${model}`,
    `tokenizer=${model}`,
    `save_path=${directory}/convert`,
  ],
  replay: (folder) => [
    '--config-name',
    'replay',
    `input=${input('actions.jsonl', ...Array.from({ length: 99 }, (_, seed) => ({ reset: { seed }, actions: ['is it a dog?', 'is it alive?'] })))}`,
    `output=${folder}/replayed.jsonl`,
    `save_path=${directory}/replay`,
  ],
};

/** Files that differ between runs of the same command, since they contain times, or are made of files that do. */
const TIMED = /(\.log|\.html|starts\.jsonl|timings\.jsonl|\.hydra.*|run\.lock|performance\.jsonl)$/;

const files = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort();
const bytesOf = (folder: string) =>
  files(folder).reduce((sum, file) => sum + Math.ceil(statSync(join(folder, file)).size / 4096) * 4096, 0);

function mount(bytes: number, again = false): void {
  const options = `size=${Math.max(8192, Math.round(bytes))}${again ? ',remount' : ''}`;
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`no tmpfs can be mounted: ${stderr.trim()}`);
}

/**
 * Compares a file that was written with space again with the undisturbed one.
 *
 * @returns the difference; null without one
 */
function difference(file: string, whole: string): string | null {
  if (TIMED.test(file)) return null;
  return readFileSync(join(disk, file)).equals(readFileSync(join(whole, file))) ? null : file;
}

async function check(name: string): Promise<string> {
  const whole = join(directory, `${name}-whole`);
  const first = await run(tasks[name](whole));
  if (first.code !== 0) return `| \`${name}\` | fails with space | ${first.stderr.trim().split('\n')[0]} | |`;
  const needed = bytesOf(whole);
  const said = new Set<string>();
  const verdicts: string[] = [];
  for (const share of [0.05, 0.3, 0.6, 0.9]) {
    mount(share * needed);
    const full = await run(tasks[name](disk));
    // A page that cannot be written causes only a warning, since its data is in other files.
    const isWarned = full.code === 0 && /report\.html could not be written/.test(full.stdout + full.stderr);
    const line = full.stderr.split('\n').find((text) => /disk is full|Cannot write '.*': ENOSPC/.test(text));
    if (line !== undefined)
      said.add(
        line
          .trim()
          .replaceAll(disk, 'DISK')
          .replaceAll(/\d+(\.\d+)? ?[kMG]?i?B/g, 'N'),
      );
    const isClean = isWarned || (full.code === 1 && line !== undefined && !/\n\s+at /.test(full.stderr));
    mount(10 * needed + 2 ** 20, true);
    const again = await run(tasks[name](disk));
    const missing = files(whole).filter((file) => !TIMED.test(file) && !files(disk).includes(file));
    const different =
      again.code === 0 && missing.length === 0 ? files(whole).flatMap((file) => difference(file, whole) ?? []) : [];
    verdicts.push(
      !isClean
        ? `full at ${share}: exit code ${full.code}: ${full.stderr.trim().split('\n').slice(-1)[0]}`
        : again.code !== 0
          ? `with space again: exit code ${again.code}: ${again.stderr.trim().split('\n')[0]}`
          : [...missing, ...different].length > 0
            ? `different: ${[...missing, ...different].join(', ')}`
            : 'equal',
    );
    spawnSync('umount', [disk]);
  }
  const kinds = [...new Set(verdicts)];
  return `| \`${name}\` | ${(needed / 1024).toFixed(0)} KiB | ${[...said][0] ?? 'nothing'} | ${kinds.join('; ')} |`;
}

const ready = await run([...tinyGame('bc_20q'), 'threads=1', `save_path=${agent}`]);
if (ready.code !== 0) throw new Error(ready.stderr);
console.log('| task | writes | says at a full disk | with space again |\n|---|---|---|---|');
try {
  for (const name of process.argv[2]?.split(',') ?? Object.keys(tasks)) console.log(await check(name));
} finally {
  spawnSync('umount', [disk]);
  rmSync(directory, { recursive: true, force: true });
}
