// Names of ArCHer's command line (its scripts/config/*.yaml at 7c771a7) that are accepted here beside our own. Its config keys are in
// keys/adopted-keys.ts, its metric names in run/legacy-names.ts; this file is loaded by every command.
import type { CommandLine } from '@bowyer/config';

export const DEFAULT_CONFIG = 'archer_20q';

/** Overrides of the command line and of sweeps that mean another key. */
export const overrideAliases: CommandLine['overrideAliases'] = {
  agent_type: { key: 'algorithm' },
};
