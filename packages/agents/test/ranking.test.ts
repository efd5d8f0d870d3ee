// Tests an agent without a reward function: a judge compares the rollouts of each group.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerChats, newFolder, type AnsweringServer } from '@bowyer/testing';
import { trainAgent } from '../src/index.js';
import { answerTo, colourModel, tasks } from './colour-agent.js';

let judge: AnsweringServer;
const asked: string[] = [];

/** Gives 1 to the rollouts whose answer is red. */
beforeAll(async () => {
  judge = await answerChats(({ messages: [{ content }] }) => {
    asked.push(content);
    const rollouts = [...content.matchAll(/<rollout id="(\d+)">([^]*?)<\/rollout>/g)];
    const scores = rollouts.map(([, id, text]) => ({ id: Number(id), score: /assistant: *red/.test(text) ? 1 : 0 }));
    return JSON.stringify({ scores });
  });
});
afterAll(() => void judge.close());

test('a judge that compares rollouts can replace the reward', async () => {
  const { directory } = await trainAgent({
    model: await colourModel(),
    tasks,
    algorithm: 'rloo',
    iterations: 1,
    rolloutSize: 16,
    groupSize: 8,
    lmLr: 0.02,
    evalFreq: 100,
    evalSize: 8,
    testSize: 16,
    evalShare: 0,
    testShare: 0,
    threads: 1,
    ranking: {
      baseUrl: `${judge.address}/v1`,
      model: 'scripted',
      rubric: 'Red is best.',
    },
    savePath: newFolder(),
    run: async (task, context) => {
      await answerTo(task, context);
      return {};
    },
  });
  expect(asked[0]).toContain('<rubric>\nRed is best.\n</rubric>');
  // The judge gets each rollout of the start's evaluation alone, and then those of a group together.
  expect(asked[0].match(/<rollout id=/g)).toHaveLength(1);
  expect(asked[8].match(/<rollout id=/g)).toHaveLength(8);
  const episodes = (await readFile(join(directory, 'trajectories/rollout.jsonl'), 'utf8')).trim().split('\n');
  const turns = episodes.flatMap((line) => (JSON.parse(line) as { turns: { action: string; reward: number }[] }).turns);
  expect(turns).toHaveLength(16);
  expect(new Set(turns.map(({ reward }) => reward))).toEqual(new Set([0, 1]));
  for (const { action, reward } of turns) expect(reward).toBe(action.trim() === 'red' ? 1 : 0);
});
