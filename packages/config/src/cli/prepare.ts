// Calls the hooks of a program (see program.ts) that may change or describe a composed config.
import type { Composition } from '../composition.js';
import { toPlain, type PlainValue } from '../node.js';
import { elementNode } from '../overrides/apply.js';
import { ListExtension, isSweep, type Override, type OverrideValue } from '../overrides/value.js';
import type { GivenOverride, Purpose } from './program.js';
import type { Session } from './session.js';

/** Throws ConfigError if the program's hook `prepare` refuses the config. */
export async function prepared(
  { program, cwd }: Session,
  composition: Composition,
  purpose: Purpose,
): Promise<Composition> {
  if (!program.prepare) return composition;
  const overrides = composition.overrides.map((override) => givenOverride(override, composition));
  return program.prepare(composition, { purpose, overrides, cwd });
}

/** Prints the program's notes about keys whose values are derived from other keys, for `--dry-run`. */
export function printNotes({ program, stdout }: Session, composition: Composition): void {
  for (const note of program.notesOf?.(composition) ?? []) stdout.write(`  ${note}\n`);
}

function givenOverride({ kind, key, package: target, value, text }: Override, composition: Composition): GivenOverride {
  const isGroup = composition.repository.groupExists(key);
  return {
    kind: kind === 'set' ? 'change' : kind === 'delete' ? 'delete' : 'add',
    key: isGroup ? key : composition.pathOf(key),
    package: target,
    isGroup,
    value: plainValue(value),
    text,
  };
}

function plainValue(value: OverrideValue | undefined): PlainValue | undefined {
  if (value === undefined || isSweep(value)) return undefined;
  const element = value instanceof ListExtension ? [...value.items] : value;
  return toPlain(elementNode(element, { source: 'command line' }));
}
