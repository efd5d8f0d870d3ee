// task=demonstrations: writes what a warm start imitates, in the environment's own format where it has one.
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { makeDemonstrations, type DemonstrationConfig } from '@bowyer/agent';
import { openDirectory } from '../../run/run-files.js';
import type { TaskContext } from '../../context/task-context.js';

export async function demonstrations(
  config: DemonstrationConfig,
  { directory, config: { decisive }, print }: TaskContext,
): Promise<void> {
  await openDirectory(directory, decisive);
  const { summary, file } = await makeDemonstrations(config);
  const path = join(directory, file.name);
  await writeFileAtomically(path, file.text());
  print(`${summary}\nwritten: ${path}\n`);
}
