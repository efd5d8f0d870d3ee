// task=demonstrations: writes the dialogues that a warm start imitates, in the format of ArCHer's twenty_questions.json.
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { demonstrationFile } from '../environments.js';
import type { RunConfig } from '../run-config.js';
import { claimDirectory } from '../run-files.js';
import type { TaskContext } from './task.js';

export async function demonstrations(config: RunConfig, { directory, print }: TaskContext): Promise<void> {
  await claimDirectory(directory, { ...config });
  const { text, summary } = await demonstrationFile(config);
  const path = join(directory, 'demonstrations.json');
  await writeFileAtomically(path, text);
  print(`${summary}\nwritten: ${path}\n`);
}
