// Removes prefixes that training scripts put before tensor names: `module.` of DistributedDataParallel, `model.` of an agent
// object that contains the model, `base_model.model.` of PEFT.
import { CheckpointError } from './io/checkpoint-error.js';
import type { CheckpointReader } from './io/checkpoint-reader.js';

/** Matches prefixes of wrappers, which are never part of a model's names. */
const WRAPPERS = /^(module\.|_orig_mod\.)+/;

/**
 * Returns the tensors of `source` under their names without a prefix.
 *
 * @param known lists of tensor names, of which the model has one: the prefix is what precedes these names in the file. If it is
 *   empty, only the prefixes of wrappers (`module.`, `_orig_mod.`) are removed
 */
export function withoutNamePrefix(source: CheckpointReader, known: readonly (readonly string[])[]): CheckpointReader {
  const names = [...source.entries.keys()];
  const prefix = prefixOf(names, known);
  const inner = new Map<string, string>();
  for (const name of names) {
    if (prefix !== undefined && !name.startsWith(prefix)) continue;
    const bare = prefix === undefined ? name.replace(WRAPPERS, '') : name.slice(prefix.length);
    const other = inner.get(bare);
    if (other !== undefined)
      throw new CheckpointError(source.path, name, `one tensor '${bare}'`, `'${other}' maps to the same name`);
    inner.set(bare, name);
  }
  return {
    path: source.path,
    entries: new Map([...inner].map(([bare, name]) => [bare, source.entries.get(name)!])),
    read: (bare, options) => source.read(inner.get(bare)!, options),
    close: () => source.close(),
  };
}

/** Returns the shortest prefix with which the file has all names of one of the lists; undefined if there is none. */
function prefixOf(names: readonly string[], known: readonly (readonly string[])[]): string | undefined {
  const present = new Set(names);
  const candidates = known.flatMap(([first]) =>
    names.filter((name) => name === first || name.endsWith(`.${first}`)).map((name) => name.slice(0, -first.length)),
  );
  return [...new Set(candidates)]
    .sort((a, b) => a.length - b.length)
    .find((prefix) => known.some((spelling) => spelling.every((name) => present.has(prefix + name))));
}
