// Finds the translation of a command-line key of another program (AgentGym, ArCHer, its fork for mathematics, Bowyer 0.2). Every
// command loads this table.
import { AGENTGYM, AGENTGYM_OWN } from './agentgym.js';
import { ARCHER_OWN, MATHEMATICS } from './archer.js';
import { each, isTrue, plain, type Meaning } from './outcome.js';

export const ARCHER = 'ArCHer';

/** Keys of Bowyer 0.2 that no run has today: they had the meaning of other keys, or influenced only the speed. */
const FORMER: Readonly<Record<string, Meaning>> = {
  draft_tokens: (_value, { task }) =>
    task === 'generate'
      ? { nothing: 'tokens are not guessed ahead; with guesses the answers were the same' }
      : { refused: 'only task=generate had it' },
  eval_do_sample: (value) => ({
    words:
      plain(value) === 'null' ? [] : [`eval_decoding=${each(value, (one) => (isTrue(one) ? 'sample' : 'greedy'))}`],
  }),
};

/** Keys of Bowyer 0.2 that today only some runs have. */
const FORMER_OWN: Readonly<Record<string, Meaning>> = {
  score_terminator: (value, { algorithm }) => {
    if (algorithm !== 'chai') return 'ours';
    const always = 'the warm start of CHAI always trains the token that ends an utterance';
    return isTrue(value) ? { nothing: always } : { refused: always };
  },
};

const PROGRAMS: readonly { program: string; table: Readonly<Record<string, Meaning>>; isOwn: boolean }[] = [
  { program: "AgentGym's scripts", table: AGENTGYM, isOwn: false },
  { program: "ArCHer's mathematics fork", table: MATHEMATICS, isOwn: false },
  { program: 'version 0.2', table: FORMER, isOwn: false },
  { program: 'version 0.2', table: FORMER_OWN, isOwn: true },
  { program: "AgentGym's scripts", table: AGENTGYM_OWN, isOwn: true },
  { program: ARCHER, table: ARCHER_OWN, isOwn: true },
];

export interface OriginalKey {
  /** The name of the program to which the key belongs, for messages. */
  program: string;
  meaning: Meaning;
  /** Whether Bowyer has a key of the same name, which some runs read. */
  isOwn: boolean;
}

/** Finds another program's key with its translation; undefined for a key that no such program has. */
export function originalKey(key: string): OriginalKey | undefined {
  const found = PROGRAMS.find(({ table }) => Object.hasOwn(table, key));
  return found && { program: found.program, isOwn: found.isOwn, meaning: found.table[key] };
}

export const isOriginalKey = (key: string): boolean => originalKey(key) !== undefined;
