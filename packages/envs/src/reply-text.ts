// Finds the part of a reply that is played, and shortens texts that an agent reads.

/** Returns the last code block of a reply, else its text without thoughts. */
export function lastCodeBlock(reply: string): string {
  const said = reply.replace(/^[^]*<\/think>/, '');
  const blocks = [...said.matchAll(/^```[^\n`]*\n([^]*?)^```/gm)].map(([, code]) => code!);
  return blocks.at(-1) ?? said;
}

/** Returns the text itself, or its beginning and its end with what was left out in between. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${text.slice(0, half)}\n(… ${text.length - 2 * half} characters left out …)\n${text.slice(-half)}`;
}
