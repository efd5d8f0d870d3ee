// Plays the tasks with the agent at a recording server, a rollout each: node play.mjs SERVER
import { readFileSync } from 'node:fs';
import { answer } from './agent.mjs';

const server = process.argv[2];
const lines = readFileSync(new URL('tasks.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
for (const [number, line] of lines.entries())
  await answer(JSON.parse(line), {
    baseURL: `${server}/rollouts/rollout-${number}/v1`,
    apiKey: 'none',
    rolloutUrl: `${server}/rollouts/rollout-${number}`,
  });
console.log(`${lines.length} rollouts`);
