// Shortens texts for error messages that clients see, so that a message neither repeats a long input nor contains a stack trace.

/** The most characters of a client's input that an error message quotes. */
const MOST_ECHOED = 200;
const LONGEST_FAULT = 2000;

/** Returns the beginning of a client's input, to be quoted in an error message. */
export const excerpt = (text: string, most = MOST_ECHOED): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;

/** Returns the message without another process's stack trace, which an environment's error may contain. */
export function faultMessage(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  return excerpt(text.replaceAll(/\n\s+at .*(?=\n|$)/g, ''), LONGEST_FAULT);
}
