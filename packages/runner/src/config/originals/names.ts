// The keys of the command line that belong to other programs. Loaded by every command.
import { AGENTGYM, AGENTGYM_OWN } from './agentgym.js';
import { ARCHER_OWN, MATHEMATICS } from './archer.js';
import { each, isTrue, plain, type Meaning } from './outcome.js';

export const ARCHER = 'ArCHer';

/** Keys of version 0.2 that were second names of others. */
const DOUBLED: Readonly<Record<string, Meaning>> = {
  eval_do_sample: (value) => ({
    words:
      plain(value) === 'null' ? [] : [`eval_decoding=${each(value, (one) => (isTrue(one) ? 'sample' : 'greedy'))}`],
  }),
};

const PROGRAMS: readonly { program: string; table: Readonly<Record<string, Meaning>>; isOwn: boolean }[] = [
  { program: "AgentGym's scripts", table: AGENTGYM, isOwn: false },
  { program: "ArCHer's mathematics fork", table: MATHEMATICS, isOwn: false },
  { program: 'version 0.2', table: DOUBLED, isOwn: false },
  { program: "AgentGym's scripts", table: AGENTGYM_OWN, isOwn: true },
  { program: ARCHER, table: ARCHER_OWN, isOwn: true },
];

export interface OriginalKey {
  /** The program whose key it is. */
  program: string;
  meaning: Meaning;
  /** Whether there is a key of ours with the same name, which some runs read. */
  isOwn: boolean;
}

/** Finds the meaning of another program's key; undefined for a key that no such program has. */
export function originalKey(key: string): OriginalKey | undefined {
  const found = PROGRAMS.find(({ table }) => Object.hasOwn(table, key));
  return found && { program: found.program, isOwn: found.isOwn, meaning: found.table[key] };
}

export const isOriginalKey = (key: string): boolean => originalKey(key) !== undefined;
