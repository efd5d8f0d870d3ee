// Old names: keys of ArCHer's configs that became choices of a group.
import type { CommandLine } from '@bowyer/config';

/** Overrides of the command line and of sweeps that mean another key. */
export const overrideAliases: CommandLine['overrideAliases'] = {
  agent_type: { key: 'algorithm', values: { archer_llm: 'archer' } },
};
