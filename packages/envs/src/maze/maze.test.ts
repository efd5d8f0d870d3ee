import { defaultsOf } from '../option.js';
import { whenRecorded } from '@bowyer/testing';
import { recordedCalls, recordedEpisodes } from '../../test/recorded-traffic.js';
import { mazeDemonstrations } from './demonstrations.js';
import { Maze, mazeSchema, type MazeOptions } from './maze.js';
import { freeCells, shortestPath } from './rooms.js';

const maze = (options: Partial<MazeOptions> = {}) => new Maze({ ...defaultsOf(mazeSchema), ...options });

const episodes = recordedEpisodes(recordedCalls('lmrlgym'), '/maze');
const ifRecorded = whenRecorded('transcripts/lmrlgym.jsonl', 'transcripts/controller_rollouts.jsonl').test;

ifRecorded('says, pays and ends as the recorded server did', async () => {
  expect(episodes.length).toBeGreaterThan(3);
  for (const [reset, ...steps] of episodes) {
    const env = maze({ reward: 'agentgym' });
    const start = await env.reset({ game: reset.request.json!.game as number });
    expect({ observation: start.observation }).toEqual(reset.response.json);
    for (const { request, response } of steps) {
      const { observation, reward, terminated } = await env.step(request.json!.action as string);
      expect({ observation, reward, done: terminated }).toEqual(response.json);
    }
  }
});

test('from the far corners the shortest way has 12 moves', () => {
  // (1,1) → (1,3) 2, → (5,3) 4, → (5,6) 3, → (8,6) 3; from (1,11): 2 + 4 + 3 + 3.
  expect(shortestPath([1, 1])).toHaveLength(12);
  expect(shortestPath([1, 11])).toHaveLength(12);
  expect(shortestPath([1, 11]).slice(0, 3)).toEqual(['move left', 'move left', 'move down']);
});

test("LMRL-Gym's rewards: −1 a step, −4 for a text that is not a move, 0 on arrival", async () => {
  const env = maze({ game: 17 }); // this is (6, 6), two cells above the goal
  await env.reset({ seed: 0 });
  expect(await env.step('move left')).toMatchObject({ reward: -1, info: { position: [6, 6] } });
  expect(await env.step('jump')).toMatchObject({ reward: -4, info: { position: [6, 6] } });
  expect(await env.step('move down\n')).toMatchObject({ reward: -1, info: { position: [7, 6] } });
  expect(await env.step('move down')).toMatchObject({ reward: 0, observation: 'Success\n', terminated: true });
});

test('the step after the last allowed one fails', async () => {
  const env = maze({ maxSteps: 2, game: 17, reward: 'agentgym' });
  await env.reset({ seed: 0 });
  for (let i = 0; i < 2; i++) expect(await env.step('move up')).toMatchObject({ reward: 0, terminated: false });
  expect(await env.step('move down')).toMatchObject({ reward: -1, observation: 'Failure\n', terminated: true });
});

test('partially observed: walls and moves, from the beginning', async () => {
  const env = maze({ observation: 'partial', game: 17 });
  expect((await env.reset({ seed: 0 })).observation).toBe('There are walls to your right, to your left.\n');
  expect((await env.step('move up')).observation).toBe(
    'There are walls to your right, to your left.\nmove up\nThere is a wall above you.\n',
  );
});

test('the goal and places beyond the last are refused as a start', async () => {
  await expect(maze().reset({ game: 25 })).rejects.toThrow(
    'maze: game 25 is not a starting place; there are 0…24, and 25 is the goal itself',
  );
  await expect(maze().reset({ game: 26 })).rejects.toThrow('maze: game 26 is not a starting place; there are 0…24');
});

test('a demonstrator without noise takes the shortest way from every start', async () => {
  const options = defaultsOf(mazeSchema);
  const played = await mazeDemonstrations(options, { episodes: 60, noise: 0, seed: 3 });
  for (const transitions of played) {
    const [, row, column] = /current position is at position (\d+), (\d+)/.exec(transitions[0].observation)!;
    expect(transitions).toHaveLength(shortestPath([Number(row), Number(column)]).length);
    expect(transitions.at(-1)).toMatchObject({ terminated: true, reward: 0 });
  }
  expect(new Set(played.map(([{ observation }]) => observation)).size).toBeGreaterThan(freeCells.length / 2);
});
