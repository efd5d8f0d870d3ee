// task=demonstrations: writes what a warm start imitates; Twenty Questions in the format of ArCHer's twenty_questions.json.
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { makeDemonstrations } from '../environments.js';
import type { RunConfig } from '../run-config.js';
import { openDirectory } from '../run-files.js';
import type { TaskContext } from './task.js';

export async function demonstrations(config: RunConfig, { directory, print }: TaskContext): Promise<void> {
  await openDirectory(directory, { ...config });
  const { summary, file } = await makeDemonstrations(config);
  const path = join(directory, file.name);
  await writeFileAtomically(path, file.text());
  print(`${summary}\nwritten: ${path}\n`);
}
