// Defines the options of task=demonstrations, which writes the demonstrations that a warm start would imitate to a file.
import { demonstrationProblems, demonstrationsNode } from '../../agent/demonstrations/demonstration-keys.js';
import { environmentKeysOf } from '../../agent/environment/environment-keys.js';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

export const demonstrationsTask: TaskUnit = {
  name: 'demonstrations',
  description: 'write the episodes of the environment’s own expert',
  keys: (choices) => ({
    ...runKeys,
    ...environmentKeysOf(choices),
    demonstrations: demonstrationsNode(choices),
  }),
  plays: true,
  problems: demonstrationProblems,
  load: async () => (await import('./demonstrations.js')).demonstrations,
};
