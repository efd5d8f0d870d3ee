// Trains the agent of a folder from a few records of an expert, with three seeds, and prints what it has gained on held-out tasks:
//   npm ci --ignore-scripts --prefix examples/agents && npm run openai --prefix examples/agents
// `-- --seeds=1` for one seed, `-- --short` for a few iterations, as continuous integration runs it; `-- --write` puts the figures
// into docs/agents/examples.md.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Agent, Example } from './common/example.js';
import { figuresOf, figuresText, writeFigures, type SeedFigures } from './common/figures.js';
import { trainExample } from './common/train-example.js';
import { warmStart } from './common/warm-start.js';

interface Task {
  [key: string]: unknown;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string', default: '3' }, short: { type: 'boolean' }, write: { type: 'boolean' } },
});
const [name] = positionals;
const { example } = (await import(`./${name}/example.js`)) as { example: Example<Task, unknown> };
const { answer } = (await import(`./${name}/agent.mjs`)) as { answer: Agent<Task, unknown> };
const folder = resolve(import.meta.dirname, '../../outputs/agents', name);
const model = await warmStart(join(folder, 'model'), example, answer);
const figures: SeedFigures[] = [];
for (let seed = 1; seed <= (values.short ? 1 : Number(values.seeds)); seed++) {
  const savePath = join(folder, values.short ? 'short' : `seed-${seed}`);
  rmSync(savePath, { recursive: true, force: true });
  const before = process.cpuUsage();
  const start = performance.now();
  const log = (line: string) => console.log(`${name}, seed ${seed}: ${line}`);
  const short = values.short === true;
  const { directory } = await trainExample({ example, answer }, { model, savePath, seed, short, log });
  const { user, system } = process.cpuUsage(before);
  const minutes = { wall: (performance.now() - start) / 60_000, cpu: (user + system) / 60e6 };
  figures.push({ seed, ...(await figuresOf(directory)), minutes });
  console.log(figuresText(name, figures));
}
if (values.write) writeFigures(name, figures);
// A gain below three standard errors in any seed says that the agent has not learned.
process.exitCode = figures.every(({ gain }) => gain.standardErrors > 3) ? 0 : 1;
