// Reads the verdict on a rollout that an agent or a judge returns or prints: the reward, components of the reward, metrics.

export interface Verdict {
  reward?: number;
  /** Components of the reward and other values of the judge, which are reported separately and not added to the reward. */
  components?: Record<string, number>;
  metrics?: Record<string, number>;
}

/**
 * Converts the value that an agent or a judge returned to a verdict. A number is the reward; of an object, the fields of a
 * verdict are read. Anything else, such as a text, gives an empty verdict.
 *
 * @throws for a reward, a component or a metric that is not a finite number
 */
export function verdictOf(said: unknown, who: string): Verdict {
  if (typeof said === 'number') return verdictOf({ reward: said }, who);
  if (said === null || typeof said !== 'object' || Array.isArray(said)) return {};
  const { reward, components, metrics } = said as Record<keyof Verdict, unknown>;
  return {
    ...(reward !== undefined && { reward: figure(reward, `reward`, who) }),
    ...(components !== undefined && { components: figures(components, 'components', who) }),
    ...(metrics !== undefined && { metrics: figures(metrics, 'metrics', who) }),
  };
}

/** Returns the verdict in the last line that a program has printed; a line that is not JSON is ignored. */
export function verdictOfLine(line: string, who: string): Verdict {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return {};
  }
  return verdictOf(said, who);
}

function figures(value: unknown, field: string, who: string): Record<string, number> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Error(`${who}: ${field} is ${JSON.stringify(value)}; it must be an object of numbers`);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, figure(one, `${field}.${name}`, who)]));
}

function figure(value: unknown, field: string, who: string): number {
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new Error(`${who}: ${field} is ${textOf(value)}; it must be a finite number`);
}

/** Writes a value for an error message, including NaN and infinities, which JSON would write as null. */
const textOf = (value: unknown): string => (typeof value === 'number' ? String(value) : JSON.stringify(value));
