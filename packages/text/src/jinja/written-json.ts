// JSON that templates print as it was written: with its spaces, escapes, numbers (1.0, long integers) and repeated keys. A call of a
// tool that a model wrote then has the same tokens when it is read again.

const written = new WeakMap<object, string>();

/**
 * A value for a template's dialogue, which `tojson` prints as `text`.
 *
 * @param text any; where it is not that of an object or an array, members are not found in it, but it prints all the same
 */
export function writtenJson(text: string): object {
  const value = objectOf(text);
  written.set(value, text);
  return value;
}

function objectOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // what it prints is all that it is
  }
  return {};
}

/** The text that a value, here or in a template, was made of. */
export const textAsWritten = (value: object): string | undefined => written.get(value);

/** Notes the text of a value in a template. */
export function keepText<T extends object>(value: T, text: string): T {
  written.set(value, text);
  return value;
}
