// Writes a line of metrics.jsonl for each iteration. It is fast, since the training thread writes it and it may have thousands of
// metrics.
import type { Metrics } from '@bowyer/algorithms';
import { figuresOf, perNames } from '@bowyer/logging';
import { legacyNames } from './legacy-names.js';

const key = (name: string): string => `,${JSON.stringify(name)}:`;

/** The names as JSON with a colon, and the metrics that have a name of ArCHer's too. */
const prepared = perNames((names) => ({
  keys: names.map(key),
  aliases: legacyNames.flatMap(([name, alias]) =>
    names.includes(name) ? [{ key: key(alias), at: names.indexOf(name) }] : [],
  ),
}));

/**
 * Writes the same text as `JSON.stringify` of the iteration, the metrics and their names in ArCHer.
 *
 * @param metrics finite
 */
export function metricsLine(iteration: number, metrics: Metrics): string {
  const { names, texts } = figuresOf(metrics);
  const { keys, aliases } = prepared(names);
  const parts = [`{"iteration":${iteration}`];
  for (let i = 0; i < keys.length; i++) parts.push(keys[i], texts[i]);
  for (const { key, at } of aliases) parts.push(key, texts[at]);
  parts.push('}\n');
  return parts.join('');
}
