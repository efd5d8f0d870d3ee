// What `npm run check` runs: types first, then lint beside the other static checks, which use one core each, then the tests.
// The output of checks that run side by side is printed as each chain ends. Exit code 1 as soon as a stage has failed.
import { spawn } from 'node:child_process';

/** A chain of npm scripts, each with its arguments. */
type Chain = readonly (readonly [script: string, ...args: string[]])[];

const stages: readonly (readonly Chain[])[] = [
  [[['types']]],
  [[['lint']], [['cycles'], ['format:check'], ['lint:prose', '--strict'], ['docs:api']]],
  [[['test']]],
];

for (const chains of stages) {
  const passed = await Promise.all(chains.map((chain) => run(chain, chains.length > 1)));
  if (passed.includes(false)) process.exit(1);
}

/** @returns whether every script of the chain passed; the first that fails ends it */
async function run(chain: Chain, buffered: boolean): Promise<boolean> {
  for (const [script, ...args] of chain) {
    const child = spawn('npm', ['run', script, '--', ...args], {
      stdio: ['ignore', buffered ? 'pipe' : 'inherit', buffered ? 'pipe' : 'inherit'],
      shell: process.platform === 'win32',
    });
    const pieces: Buffer[] = [];
    child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
    child.stderr?.on('data', (piece: Buffer) => pieces.push(piece));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    process.stdout.write(Buffer.concat(pieces));
    if (code === 0) continue;
    console.error(`npm run ${[script, ...args].join(' ')} failed with exit code ${code}`);
    return false;
  }
  return true;
}
