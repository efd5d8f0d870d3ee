// Writes an error's text for a client: it quotes no long input, and does not show the place in the code.

/** Characters at most. */
const MOST_ECHOED = 200;
const LONGEST_FAULT = 2000;

/** Returns the beginning of what a client sent, for a message about it. */
export const excerpt = (text: string, most = MOST_ECHOED): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;

/** Returns the message of a fault, as of an environment, without a stack trace that it may have from another process. */
export function faultMessage(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  return excerpt(text.replaceAll(/\n\s+at .*(?=\n|$)/g, ''), LONGEST_FAULT);
}
