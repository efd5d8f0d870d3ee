// Errors of the language itself, which a user would not understand.

/** The errors that a program throws by mistake; errors for users are of classes of their own, or name a place. */
const MISTAKES: readonly { prototype: unknown }[] = [
  TypeError,
  RangeError,
  ReferenceError,
  SyntaxError,
  EvalError,
  URIError,
];

/** The same, in the message of another error or in an answer. */
export const MISTAKEN =
  /Cannot (read propert|convert|destructure)|is not (a function|iterable|a constructor|defined)|Maximum call stack|Invalid (array|string|typed)|out of (range|bounds)|BigInt/;

/**
 * Checks that an error is a message to users.
 *
 * @returns what is wrong with an error as a message to users; undefined where it is one
 */
export function mistakeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return `threw ${String(error)}`;
  const isMistake = MISTAKES.some((mistake) => Object.getPrototypeOf(error) === mistake.prototype);
  if (
    isMistake ||
    MISTAKEN.test(error.message) ||
    error.message === '' ||
    /the server (answered|did not)/.test(error.message)
  )
    return error.stack ?? '';
  return undefined;
}
