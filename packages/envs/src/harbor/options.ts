import { integer, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

const milliseconds = { minimum: 100, maximum: 3_600_000 };

export const harborSchema = options({
  tasks: text(null, 'Folder of Harbor tasks, or one task; null: a small set that ships with Bowyer.'),
  instruction: text(
    'You work in a bash shell. Answer with one command, or a script, in a code block; you then read its output. The command submit ends the task.',
    'Text before the instruction of each task, followed by an empty line; empty: none.',
  ),
  maxTurns: integer(20, 'Commands after which the episode is truncated; the task’s tests are still run.'),
  outputChars: integer(8_000, 'Characters of an output that the agent reads; the middle of a longer one is omitted.', {
    minimum: 100,
  }),
  commandMs: integer(10_000, 'Longest time for a command, in milliseconds.', milliseconds),
  verifierMs: integer(
    60_000,
    "Longest time for the tests, in milliseconds, where the task's own limit is not shorter.",
    milliseconds,
  ),
  memoryMb: integer(256, 'Largest memory of the shell with its files, in MiB.', { minimum: 64, maximum: 4_096 }),
});

export type HarborOptions = OptionsOf<typeof harborSchema>;
