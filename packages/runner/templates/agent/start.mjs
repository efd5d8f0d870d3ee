// Makes the initial model, models/start: records the agent with an endpoint, and trains a small model on the recorded dialogues.
// Set EXPERT_URL and EXPERT_KEY to use your own endpoint, such as https://api.openai.com/v1; without them expert.mjs answers.
// You do not need this file with a model of the hub: give its name (OWNER/NAME) instead of models/start.
import { existsSync } from 'node:fs';
import { recordAgent, startModel } from '@bowyer/agents';
import { answer } from './agent.mjs';
import { startExpert } from './expert.mjs';
import { reward } from './reward.mjs';
import { tasks } from './tasks.mjs';

export const START = 'models/start';

export async function makeStart() {
  if (existsSync(`${START}/results.json`)) return START;
  const expert = process.env.EXPERT_URL ? null : await startExpert(0.6);
  const { conversations, failures } = await recordAgent({
    upstream: process.env.EXPERT_URL ?? expert.url,
    upstreamKey: process.env.EXPERT_KEY,
    tasks,
    savePath: 'models/record',
    run: answer,
    reward,
  });
  expert?.close();
  if (failures.length > 0) console.warn(`${failures.length} rollouts failed, the first: ${failures[0].error.message}`);
  await startModel({ data: conversations, savePath: START, log: (line) => console.log(line) });
  return START;
}

if (process.argv[1] === import.meta.filename) await makeStart();
