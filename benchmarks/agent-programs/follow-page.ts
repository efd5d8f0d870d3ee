// Records and trains a program as it is, by the commands of docs/agents/coding.md in a copy of examples/coding, with a few tasks and steps:
//   npm install --no-package-lock --prefix benchmarks/agent-programs && npm run train --prefix benchmarks/agent-programs -- codex
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const here = import.meta.dirname;
const root = resolve(here, '../..');
const [name = 'codex'] = process.argv.slice(2);

const page = readFileSync(join(root, 'docs/agents/coding.md'), 'utf8');
const [block] = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .map(([, text]) => text)
  .filter((text) => text.includes('program.mjs'));
const short: [from: RegExp, to: string][] = [
  [/^npm install .*$/m, ''],
  [/program\.mjs codex/g, `program.mjs ${name}`],
  [/node tasks\.mjs >/, 'node tasks.mjs | shuf -n 24 >'],
  [/start_model /, 'start_model epochs=20 '],
  [/train_agent /, 'train_agent iterations=1 rollout_size=8 group_size=4 eval_size=4 test_size=4 '],
  [/record_agent /, 'record_agent port=0 '],
];
const script = short.reduce((text, [from, to]) => text.replace(from, to), block);

const folder = mkdtempSync(join(tmpdir(), 'bowyer-program-'));
try {
  cpSync(join(root, 'examples/coding'), folder, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const PATH = [join(here, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const ends = "set -e\ntrap 'kill $(jobs -p)' EXIT\n";
  const { status } = spawnSync('bash', ['-c', ends + script], {
    cwd: folder,
    env: { ...process.env, PATH },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
