// Tests the agent with a model, as a test of vitest: npx vitest run. MODEL chooses another model.
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { expectAgent } from '@bowyer/agents/vitest';
import { attend, judge } from './agent.mjs';

const tasks = readFileSync(new URL('test.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

test('the desk does the right thing for four guests of five', { timeout: 600_000 }, async () => {
  const model = process.env.MODEL ?? 'runs/trained';
  const reward = (task, { result }) => judge(task, result);
  await expectAgent(attend).toReach(0.8, { model, tasks, reward, budget: 100 });
});
