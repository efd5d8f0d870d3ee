// Writes settings that are known only when a job is run (`hydra.runtime.output_dir`, `hydra.job.num`, …) into a composed config.
import type { Composition } from './composition.js';
import { fromPlain, type PlainValue } from './node.js';

const origin = { source: 'the program' };

/** Sets a setting of hydra. `keyPath`: relative to `hydra`, such as 'job.num'; its parent must exist. */
export function setHydraSetting(composition: Composition, keyPath: string, value: PlainValue): void {
  const keys = keyPath.split('.');
  const last = keys.pop()!;
  let node = composition.full.get('hydra');
  for (const key of keys) node = node?.kind === 'map' ? node.get(key) : undefined;
  if (node?.kind === 'map') node.set(last, fromPlain(value, origin));
}

/** Adds the override to which a flag is equivalent to the overrides in `hydra.overrides`, as if the user had typed it. */
export function noteHydraOverride(composition: Composition, text: string): void {
  const hydra = composition.full.get('hydra');
  const overrides = hydra?.kind === 'map' ? hydra.get('overrides') : undefined;
  const list = overrides?.kind === 'map' ? overrides.get('hydra') : undefined;
  if (list?.kind === 'list') list.items.push(fromPlain(text, origin));
}
