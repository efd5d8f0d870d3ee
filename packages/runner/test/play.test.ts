// Tests task=play with the real command, and a person's input on its standard input.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpisodeRecord } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
import { readEpisodes } from '../src/agent/demonstrations/read-episodes.js';
import { run } from './command-line.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

const play = (stdin: string, ...overrides: string[]) =>
  run(['--config-name', 'play', `save_path=${join(directory, 'run')}`, ...overrides], { stdin });

test('valid actions and the score are shown; a finished episode is kept, one that was left is not', async () => {
  const output = join(directory, 'mine', 'episodes.jsonl');
  const typed = ['look around', 'take coin', '', 'look around', 'quit', 'quit', ''].join('\n');
  const { code, stdout } = await play(typed, 'env=coin', 'env.params="numLocations=3"', 'seed=3', `output=${output}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(/valid actions: .*take coin/);
  expect(stdout).toContain('score 1\nreward 1\n\nwon after 2 steps; return 1\n');
  expect(stdout).toContain(`saved in ${output}`);
  expect(stdout).toContain('episode with seed 4');

  const { episodes } = await readEpisodes(output); // read as a warm start reads them
  expect(episodes.map(({ episodicReturn }) => episodicReturn)).toEqual([1]);
  const { steps } = episodes[0].episode as EpisodeRecord;
  expect(steps.map(({ action }) => action)).toEqual(['look around', 'take coin']);
});

test('the end of the input leaves the game; nothing is kept without a file to keep it in', async () => {
  const { code, stdout } = await play('is it a dog?\n', 'env=twenty_questions');
  expect(code).toBe(0);
  expect(stdout).toContain('\nfor example: is it an animal?\n> ');
  expect(stdout).toMatch(/is it a dog\? (Yes|No)\.\nreward -1\n/);
  const files = await readdir(directory, { recursive: true });
  expect(files.filter((name) => name.endsWith('.jsonl'))).toEqual([]);
});

test('an adventure shows what the story says, not the policy’s longer observation', async () => {
  const { stdout } = await play('north\n', 'env=adventure');
  expect(stdout).toMatch(/> << Path >>\n/);
  expect(stdout).toMatch(/valid actions: north \| south \| west/);
});
