import { choice, flag, integer, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

export const codeSchema = options({
  data: text(
    null,
    'File of tasks in JavaScript or TypeScript, .jsonl or .csv, in the columns of MultiPL-E, HumanEval-X, HumanEval or MBPP; null: a small set that ships with Bowyer.',
  ),
  reply: choice(
    ['program', 'completion'],
    'program',
    'program: a reply has the whole program, in its last code block or as all of its text; completion: a reply continues the code of the prompt, up to a stop token.',
  ),
  instruction: text(
    'Write this function. Answer with the whole program in one code block.',
    'Text before each prompt, followed by an empty line; empty: none.',
  ),
  maxTurns: integer(1, 'Attempts at a task; after a failed attempt the agent reads the reason.'),
  reward: choice(
    ['all', 'share'],
    'all',
    'all: 1 if all tests pass, else 0; share: the share of tests that pass in the last attempt, each test run separately.',
  ),
  showTests: flag(false, 'Show the agent the text of a failed assertion, with the values that it compared.'),
  timeLimitMs: integer(
    5_000,
    'Longest time for all tests of an attempt, in milliseconds; tests that have not ended then fail.',
    { minimum: 100, maximum: 600_000 },
  ),
  memoryMb: integer(64, 'Largest memory of a test with its program, in MiB.', { minimum: 8, maximum: 1_024 }),
});

export type CodeOptions = OptionsOf<typeof codeSchema>;
