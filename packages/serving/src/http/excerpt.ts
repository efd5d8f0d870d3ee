// Shortens an error's text for a client: it quotes no long input, and contains no stack trace.

/** The most characters of a quoted input. */
const MOST_ECHOED = 200;
const LONGEST_FAULT = 2000;

/** Returns the beginning of what a client sent, for a message about it. */
export const excerpt = (text: string, most = MOST_ECHOED): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;

/** Returns the message of a fault, such as an environment's, without the stack trace of another process that it may contain. */
export function faultMessage(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  return excerpt(text.replaceAll(/\n\s+at .*(?=\n|$)/g, ''), LONGEST_FAULT);
}
