// Settings that only the run itself knows (`hydra.runtime.output_dir`, `hydra.job.num`, …), put into a composed config.
import type { Composition } from '../composition.js';
import { fromPlain, type PlainValue } from '../node.js';

const origin = { source: 'the program' };

/**
 * Sets a setting of hydra.
 *
 * @param keyPath below `hydra`, such as 'job.num'; the containers on the way exist
 */
export function setHydraSetting(composition: Composition, keyPath: string, value: PlainValue): void {
  const keys = keyPath.split('.');
  const last = keys.pop()!;
  let node = composition.full.get('hydra');
  for (const key of keys) node = node?.kind === 'map' ? node.get(key) : undefined;
  if (node?.kind === 'map') node.set(last, fromPlain(value, origin));
}

/** Notes an override that the command line's flags imply, as if it had been typed. */
export function noteHydraOverride(composition: Composition, text: string): void {
  const hydra = composition.full.get('hydra');
  const overrides = hydra?.kind === 'map' ? hydra.get('overrides') : undefined;
  const list = overrides?.kind === 'map' ? overrides.get('hydra') : undefined;
  if (list?.kind === 'list') list.items.push(fromPlain(text, origin));
}
