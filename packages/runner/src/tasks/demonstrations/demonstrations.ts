// task=demonstrations: writes the demonstrations of a warm start, in the environment's own format where it has one.
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { makeDemonstrations, type DemonstrationConfig } from '../../agent/demonstrations/demonstrations.js';
import { owningRun } from '../../run/owning-run.js';
import type { TaskContext } from '../../context/task-context.js';

export async function demonstrations(config: DemonstrationConfig, context: TaskContext): Promise<void> {
  await owningRun(context, async () => {
    const { summary, file } = await makeDemonstrations(config);
    const path = join(context.directory, file.name);
    await writeFileAtomically(path, file.text());
    context.print(`${summary}\nwritten: ${path}\n`);
  });
}
