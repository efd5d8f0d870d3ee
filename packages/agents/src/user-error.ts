/** An error in a user's function. Its message adds the class, the file and the line to the message of the cause. */
export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(function_: 'run' | 'reward', error: unknown) {
    super(`${function_}: ${textOf(error)}${placeOf(error)}`, { cause: error });
  }
}

/** Runs a user's function. @throws {UserError} */
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

/** Returns the first location in the stack that is in the user's files, not in Node or a package. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack.split('\n').flatMap((line) => /^\s+at (?:.*\()?([^()\s]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  const own = places.find((place) => !/^node:|[\\/]node_modules[\\/]/.test(place));
  return own === undefined ? '' : ` (${own})`;
}
