// A line of metrics.jsonl. The training thread writes one for each iteration, of a thousand figures where there are so many.
import type { Metrics } from '@bowyer/algorithms';
import { legacyNames } from '../config/adopted-names.js';

/** Names as JSON with their colon: the same in every line. */
const quoted = new Map<string, string>();

function key(name: string): string {
  let text = quoted.get(name);
  if (text === undefined) quoted.set(name, (text = `,${JSON.stringify(name)}:`));
  return text;
}

/**
 * What `JSON.stringify` makes of the iteration, the metrics and their names in ArCHer, in a third of its time.
 *
 * @param metrics finite
 */
export function metricsLine(iteration: number, metrics: Metrics): string {
  let line = `{"iteration":${iteration}`;
  for (const name in metrics) line += key(name) + metrics[name];
  for (const [name, alias] of legacyNames) if (name in metrics) line += key(alias) + metrics[name];
  return `${line}}\n`;
}
