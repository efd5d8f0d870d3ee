// The prefixes that training scripts put before the names of a model's tensors: `module.` of DistributedDataParallel, `model.` of
// an agent object that contains the model, `base_model.model.` of PEFT.
import { CheckpointError } from './io/checkpoint-error.js';
import type { CheckpointReader } from './io/checkpoint-reader.js';

/** Wrappers whose names are not part of the model. */
const WRAPPERS = /^(module\.|_orig_mod\.)+/;

/**
 * Returns the model's tensors without the prefix of their names.
 *
 * @param known names that the model has, in any of which the file is recognised; none: only well-known wrappers are taken off
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

/** Finds the shortest prefix that all of the model's names have; undefined if the file matches no spelling. */
function prefixOf(names: readonly string[], known: readonly (readonly string[])[]): string | undefined {
  const present = new Set(names);
  const candidates = known.flatMap(([first]) =>
    names.filter((name) => name === first || name.endsWith(`.${first}`)).map((name) => name.slice(0, -first.length)),
  );
  return [...new Set(candidates)]
    .sort((a, b) => a.length - b.length)
    .find((prefix) => known.some((spelling) => spelling.every((name) => present.has(prefix + name))));
}
