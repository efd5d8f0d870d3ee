// Tests the coding agent with a script instead of a model: node --test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repair } from './agent.mjs';
import { startExpert } from './expert.mjs';
import { tasks } from './tasks.mjs';

const repaired = async (errors) => {
  const expert = await startExpert(errors);
  try {
    return await repair(tasks[0], { baseURL: expert.url, apiKey: 'none' });
  } finally {
    expert.close();
  }
};

test('the tests of the repository pass where the right operator is back', async () =>
  assert.equal(await repaired(0), true));

test('an edit that changes nothing leaves the test failing', async () => assert.equal(await repaired(1), false));

test('every task has an id of its own', () => assert.equal(new Set(tasks.map(({ id }) => id)).size, tasks.length));
