// Records the agent at the present endpoint, and makes a start model of the recorded dialogues: models/start.
import { recordAgent, startModel } from '@bowyer/agents';
import { loanDesk, reward } from './agent.mjs';
import { startExpert } from './expert.mjs';
import { recorded } from './tasks.mjs';

const expert = await startExpert();
const record = await recordAgent({
  upstream: expert.url,
  tasks: recorded,
  run: loanDesk,
  reward,
  savePath: 'runs/record',
});
expert.close();
console.log(`${record.rollouts.length} rollouts recorded, ${record.failures.length} failed`);
await startModel({ data: record.conversations, savePath: 'models/start', log: console.log });
