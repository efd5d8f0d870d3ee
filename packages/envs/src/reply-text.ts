// Extracts code from an agent's reply, and shortens texts that an agent reads.

/** Returns the last code block of a reply; without a block, the text after the reasoning. */
export function lastCodeBlock(reply: string): string {
  const said = reply.replace(/^[^]*<\/think>/, '');
  const blocks = [...said.matchAll(/^```[^\n`]*\n([^]*?)^```/gm)].map(([, code]) => code!);
  return blocks.at(-1) ?? said;
}

/** Shortens a text to about `limit` characters: its beginning, the number of omitted characters, and its end. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${text.slice(0, half)}\n(… ${text.length - 2 * half} characters left out …)\n${text.slice(-half)}`;
}
