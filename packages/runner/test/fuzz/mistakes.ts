// Recognizes errors of JavaScript itself, which a user would not understand.

/** The classes of errors that a program throws by mistake. Errors for users have other classes, or name a place. */
const MISTAKES: readonly { prototype: unknown }[] = [
  TypeError,
  RangeError,
  ReferenceError,
  SyntaxError,
  EvalError,
  URIError,
];

/** Recognizes these errors in the message of another error, or in an answer. */
export const MISTAKEN =
  /Cannot (read propert|convert|destructure)|is not (a function|iterable|a constructor|defined)|Maximum call stack|Invalid (array|string|typed)|out of (range|bounds)|BigInt/;

/**
 * Checks that an error is a message for users.
 *
 * @returns what is wrong with the error; undefined if it is a message for users
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
