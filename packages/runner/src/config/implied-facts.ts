import type { Composition } from '@bowyer/config';
import { withImplied } from './implied.js';
import { loadPlugins } from '../plugins/plugins.js';
import type { RunFacts } from './originals/outcome.js';
import { factsOf } from './originals/run-facts.js';

/**
 * Reads the facts about a run that decide how keys of other programs are translated, from its composed config and the keys that
 * it implies.
 *
 * @param typed the keys that were given on the command line
 */
export async function runFacts(composed: Composition, typed: ReadonlySet<string>): Promise<RunFacts> {
  await loadPlugins(composed);
  const paths = new Set([...typed].map((key) => composed.pathOf(key)));
  const context = {
    isTyped: (key: string) => typed.has(key) || paths.has(key),
    mode: 'multirun',
    isNested: true,
  } as const;
  return factsOf(await withImplied(composed, context), typed);
}
