// Records the coding agent, makes a small model of the recorded dialogues, and trains it with the repository's tests as its
// reward: node train.mjs
// Set UPSTREAM and UPSTREAM_KEY to use your own endpoint instead of expert.mjs. SEED is that of the model and of the training;
// ITERATIONS and ROLLOUTS (of an iteration; the test has four times as many) are the defaults of trainAgent unless they are set.
import { recordAgent, startModel, trainAgent } from '@bowyer/agents';
import { repair } from './agent.mjs';
import { startExpert } from './expert.mjs';
import { tasks } from './tasks.mjs';

const { UPSTREAM, UPSTREAM_KEY, SEED = '0', ITERATIONS = '30', ROLLOUTS = '64', FOLDER = 'runs' } = process.env;
const reward = (_task, { result: passes }) => (passes ? 1 : 0);
const agent = { run: repair, reward };

/** Each task is played twice. */
const recorded = [1, 2].flatMap((attempt) => tasks.map((task) => ({ ...task, id: `${task.id}, ${attempt}` })));
const expert = UPSTREAM ? null : await startExpert(0.5);
const { conversations, rollouts, failures } = await recordAgent({
  ...agent,
  upstream: UPSTREAM ?? expert.url,
  upstreamKey: UPSTREAM_KEY,
  tasks: recorded,
  savePath: `${FOLDER}/record`,
});
expert?.close();
const solved = rollouts.filter(({ rewards }) => rewards.some(({ value }) => value === 1)).length;
console.log(`recorded: ${solved} of ${rollouts.length} repairs, and ${failures.length} failures`);

const model = `${FOLDER}/start`;
await startModel({ data: conversations, seed: Number(SEED), savePath: model, log: (line) => console.log(line) });
const { verdict, gain, reasons, report } = await trainAgent({
  ...agent,
  model,
  tasks,
  iterations: Number(ITERATIONS),
  rolloutSize: Number(ROLLOUTS),
  testSize: 4 * Number(ROLLOUTS),
  seed: Number(SEED),
  savePath: `${FOLDER}/train`,
  log: (line) => console.log(line),
});
console.log(`${verdict}${gain ? `: ${gain.mean.toFixed(2)} beside the start` : ''}`);
for (const reason of reasons) console.log(reason);
console.log(`report: ${report}`);
