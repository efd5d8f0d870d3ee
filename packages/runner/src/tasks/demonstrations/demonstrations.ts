// Implements task=demonstrations: writes the demonstrations that a warm start would imitate to a file, in the format of the
// environment's original implementation if it has one.
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
