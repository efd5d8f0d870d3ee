/** An error of a user's function. Its message has the class, the file and the line, which the message of the cause alone does not have. */
export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(function_: 'run' | 'reward', error: unknown) {
    super(`${function_}: ${textOf(error)}${placeOf(error)}`, { cause: error });
  }
}

/** Runs a function of the user. @throws {UserError} */
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

/** Returns the first place of the stack in the user's own files: not in Node, and not in a package. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack.split('\n').flatMap((line) => /^\s+at (?:.*\()?([^()\s]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  const own = places.find((place) => !/^node:|[\\/]node_modules[\\/]/.test(place));
  return own === undefined ? '' : ` (${own})`;
}
