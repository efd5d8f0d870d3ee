// Trains the agent's model: node train.mjs [MODEL]. The same command resumes a run that was stopped.
import { trainAgent } from '@bowyer/agents';
import { answer } from './agent.mjs';
import { reward } from './reward.mjs';
import { makeStart } from './start.mjs';
import { tasks } from './tasks.mjs';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('stopped; the same command resumes the training')));

const { verdict, gain, reasons, model, report } = await trainAgent({
  model: process.argv[2] ?? (await makeStart()),
  tasks,
  run: answer,
  reward,
  savePath: 'runs/train',
  signal: stop.signal,
  log: (line) => console.log(line),
});
console.log(`${verdict}${gain ? `: ${gain.mean.toFixed(2)} beside the start` : ''}`);
for (const reason of reasons) console.log(reason);
console.log(`model: ${model}\nreport: ${report}`);
