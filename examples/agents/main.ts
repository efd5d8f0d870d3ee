// Trains the agent of a folder, with three seeds: first a new model learns the dialogues of a careless expert, then the agent
// learns by its rewards. Prints the gain on held-out tasks:
//   npm ci --ignore-scripts --prefix examples/agents && npm run openai --prefix examples/agents
// `-- --seeds=1` for the first seed only, `-- --short` for a third of the iterations, as continuous integration runs it;
// `-- --write` puts the figures into results.md.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Agent, Example } from './common/example.js';
import { cpuSeconds } from './common/cpu-seconds.js';
import { figuresOf, figuresText, writeFigures, type SeedFigures } from './common/figures.js';
import { pythonWithOpenAI } from './common/python.js';
import { trainFunction, trainProgram, type SeededRun } from './common/train-example.js';
import { warmStart } from './common/warm-start.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string', default: '1,2,3' }, short: { type: 'boolean' }, write: { type: 'boolean' } },
});
const [name] = positionals;
const folder = resolve(import.meta.dirname, '../../outputs/agents', name);
const { example } = (await import(`./${name}/example.js`)) as { example: Example<object, unknown> };
// The agent in Python starts with the same model as the agent in JavaScript that it copies.
const recorded = name === 'python' ? 'openai' : name;
const { answer } = (await import(`./${recorded}/agent.mjs`)) as { answer: Agent<object, unknown> };

const train = trainer();
if (train !== null) process.exitCode = await trainSeeds(train);

/** Returns the function that trains with one seed; null for the agent in Python if this machine has no Python for it. */
function trainer(): ((run: SeededRun) => Promise<void>) | null {
  if (name !== 'python') return (run) => trainFunction(example, answer, run);
  const found = pythonWithOpenAI(join(folder, 'venv'));
  if ('python' in found)
    return (run) => trainProgram(example, `${found.python} ${join(import.meta.dirname, 'python/agent.py')}`, run);
  console.log(`python: skipped, as there is no Python with the package openai here\n  ${found.missing}`);
  return null;
}

/** Trains with each seed. @returns the exit code: 1 if a seed gains less than three standard errors */
async function trainSeeds(train: (run: SeededRun) => Promise<void>): Promise<number> {
  const model = await warmStart(join(folder, 'model'), example, answer);
  const figures: SeedFigures[] = [];
  const short = values.short === true;
  for (const seed of short ? [1] : values.seeds.split(',').map(Number)) {
    const savePath = join(folder, short ? 'short' : `seed-${seed}`);
    rmSync(savePath, { recursive: true, force: true });
    const [cpu, start] = [cpuSeconds(), performance.now()];
    const log = (line: string) => console.log(`${name}, seed ${seed}: ${line}`);
    await train({ model, savePath, seed, short, log });
    const minutes = { wall: (performance.now() - start) / 60_000, cpu: (cpuSeconds() - cpu) / 60 };
    figures.push({ seed, ...(await figuresOf(savePath)), minutes });
    console.log(figuresText(name, figures));
  }
  if (values.write) writeFigures(name, figures);
  return figures.every(({ gain }) => gain.standardErrors > 3) ? 0 : 1;
}
