/**
 * An error that a user's function (`run` or `reward`) has thrown. Its message has the class of that error and the file and line
 * where it was thrown, in addition to its message.
 */
export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(function_: 'run' | 'reward', error: unknown) {
    super(`${function_}: ${textOf(error)}${placeOf(error)}`, { cause: error });
  }
}

/**
 * Calls a user's function, and wraps an error that it throws.
 *
 * @throws {UserError}
 */
export async function ofUser<T>(name: 'run' | 'reward', work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UserError(name, error);
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  return name === 'Error' ? message : `${name}: ${message}`;
}

/** Returns the first location in the stack of an error that is in the user's files, not in Node or a package. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack.split('\n').flatMap((line) => /^\s+at (?:.*\()?([^()\s]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  const own = places.find((place) => !/^node:|[\\/]node_modules[\\/]/.test(place));
  return own === undefined ? '' : ` (${own})`;
}
