// Reads the metrics of a sweep's job for the summary table, and for sweepers that compare jobs.
import { join } from 'node:path';
import { jsonIfThere, textIfThere } from '../run/read-files.js';

interface Results {
  policies?: { name: string; metrics: Record<string, number> }[];
}

/**
 * Reads results.json (the last policy), then metrics.jsonl (the last line that has the key). `NAME:key` is the metric of the
 * policy whose name begins with NAME, such as `best:test/win_rate`. Null for a key that neither file has.
 */
export async function readJobMetrics(
  directory: string,
  keys: readonly string[],
): Promise<Record<string, number | null>> {
  const results = (await jsonIfThere<Results>(join(directory, 'results.json'))) ?? {};
  const lines = ((await textIfThere(join(directory, 'metrics.jsonl'))) ?? '').split('\n').filter(Boolean).reverse();
  return Object.fromEntries(keys.map((key) => [key, inResults(results, key) ?? inLines(lines, key)]));
}

function inResults(results: Results, key: string): number | null {
  const { policies } = results;
  const colon = key.indexOf(':');
  if (policies && colon >= 0) {
    const policy = policies.find(({ name }) => name.startsWith(key.slice(0, colon)));
    return numberOrNull(policy?.metrics[key.slice(colon + 1)]);
  }
  return numberOrNull(policies?.at(-1)?.metrics[key] ?? (results as Record<string, unknown>)[key]);
}

/** @param lines newest first; an incomplete line is skipped */
function inLines(lines: readonly string[], key: string): number | null {
  const mark = JSON.stringify(key);
  for (const line of lines) {
    if (!line.includes(mark)) continue;
    try {
      const value = numberOrNull((JSON.parse(line) as Record<string, unknown>)[key]);
      if (value !== null) return value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

const numberOrNull = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);
