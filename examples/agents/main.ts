// Trains the agent of a folder: first a new model learns the dialogues of a careless expert, then the agent learns by its rewards.
//   npm ci --ignore-scripts --prefix examples/agents && npm run openai --prefix examples/agents
// `-- --start` makes only the tasks and the first model, `-- --short` trains for a few iterations.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { trainAgent } from '@bowyer/agents';
import type { Agent, Example } from './common/example.js';
import { drawTasks, warmStart } from './common/warm-start.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { start: { type: 'boolean' }, short: { type: 'boolean' } },
});
const [name] = positionals;
const folder = resolve(import.meta.dirname, '../../outputs/agents', name);
const { example } = (await import(`./${name}/example.js`)) as { example: Example<object, unknown> };
const { answer } = (await import(`./${name}/agent.mjs`)) as { answer: Agent<object, unknown> };

const tasks = drawTasks(example, 'train', 400);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'tasks.jsonl'), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
const model = await warmStart(folder, example, answer);
if (!values.start) {
  const savePath = join(folder, 'run');
  rmSync(savePath, { recursive: true, force: true });
  const { verdict, gain, report } = await trainAgent({
    ...(values.short && { iterations: 8, evalSize: 32, testSize: 128 }),
    model,
    tasks,
    savePath,
    run: answer,
    reward: (task, { result }) => example.reward(task, result),
    threads: 1,
    log: console.log,
  });
  console.log(`${name}: ${verdict}, ${gain?.mean.toFixed(2) ?? 'no gain'}; ${report}`);
  process.exitCode = verdict === 'improved' ? 0 : 1;
}
