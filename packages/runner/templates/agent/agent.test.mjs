// Tests the agent with a script instead of a model: node --test
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { answer } from './agent.mjs';
import { startExpert } from './expert.mjs';
import { reward } from './reward.mjs';
import { tasks } from './tasks.mjs';

let expert;
before(async () => (expert = await startExpert()));
after(() => expert.close());

const solve = async (task) => {
  const result = await answer(task, { baseURL: expert.url, apiKey: 'none' });
  return reward(task, { result });
};

test('an agent whose model makes no mistake gets the whole reward', async () => {
  for (const task of tasks.slice(0, 12)) assert.equal(await solve(task), 1, task.id);
});

test('an order that was delivered is not refunded', () => {
  const task = tasks.find(({ state }) => state === 'delivered');
  assert.equal(reward(task, { result: { text: 'Done.', done: ['refund'] } }), 0);
  assert.equal(reward(task, { result: { text: 'It was delivered.', done: [] } }), 1);
});

test('every task has another id', () => {
  assert.equal(new Set(tasks.map(({ id }) => id)).size, tasks.length);
});
