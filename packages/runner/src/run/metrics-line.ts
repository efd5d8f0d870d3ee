// Writes the line of an iteration in metrics.jsonl. It must be fast, since the training thread writes it and there may be
// thousands of metrics.
import type { Metrics } from '@bowyer/algorithms';
import { figuresOf, perNames } from '@bowyer/logging';
import { legacyNames } from './legacy-names.js';

const key = (name: string): string => `,${JSON.stringify(name)}:`;

/**
 * Prepares, once for each set of metric names, the names as JSON with a colon, and the metrics that also have a name of ArCHer.
 */
const prepared = perNames((names) => ({
  keys: names.map(key),
  aliases: legacyNames.flatMap(([name, alias]) =>
    names.includes(name) ? [{ key: key(alias), at: names.indexOf(name) }] : [],
  ),
}));

/**
 * Returns the same text as `JSON.stringify` of an object with the iteration, the metrics, and the metrics under ArCHer's names.
 *
 * @param metrics must be finite
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
