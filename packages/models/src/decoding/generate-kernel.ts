// Runs the token loop over a KV cache on the host. All tokens of the utterances are sampled within the device's worker thread, so
// that no message crosses threads between two tokens.
import type { HostKernel } from '@bowyer/graph';
import { CacheRows } from './cache-rows.js';
import { stateName } from './decode-names.js';
import type { GenerateArgs, GenerateResult, Role } from './generate-args.js';
import { HostCache } from './host-cache.js';
import { StateRows } from './state-rows.js';
import { generateWith } from './token-loop.js';

export const generate: HostKernel<'cache', GenerateArgs, Promise<GenerateResult>, Role> = async ({
  states,
  programs,
  args,
}) => {
  const specs = args.recurrent?.states ?? [];
  const dataOf = (name: string) => states.cache[name].data as Float32Array;
  const stateNames = new Set(specs.map(({ name }) => stateName(name)));
  const names = Object.keys(states.cache).filter((name) => !stateNames.has(name));
  const rows = new CacheRows(names.map(dataOf), args.geometry, args.lengths, args.classes);
  rows.separateCutRows();
  const stateRows = new StateRows(
    specs.map((spec) => ({ ...spec, data: dataOf(stateName(spec.name)) })),
    args.lengths.length,
  );
  const cache = new HostCache(rows, names, specs.length > 0 ? stateRows : undefined);
  for (const [a, b] of args.swaps) cache.swap(a, b);
  for (const row of args.recurrent?.restore ?? []) stateRows.restore(row);
  args.feed.forEach((_, row) => args.lengths[row] === 0 && stateRows.clear(row));
  return { ...(await generateWith(cache, programs, args)), shared: rows.shared };
};
