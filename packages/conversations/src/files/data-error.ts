// Defines the errors for invalid data files of users, and describes JSON values for their messages.

export class BadItem extends Error {
  override readonly name = 'BadItem';
}

/** The error for a data file. Its message lists the problems, and describes what the file should contain. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';

  constructor(
    readonly what: string,
    readonly expected: string,
  ) {
    super(`${what}\n  expected: ${expected}`);
  }
}

/** Describes a JSON value in a few words. */
export function found(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  if (typeof value !== 'object')
    return `the ${typeof value === 'string' ? 'text' : typeof value} ${JSON.stringify(value)}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an object without keys' : `an object with the keys ${keys.slice(0, 8).join(', ')}`;
}

export const asRecord = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
