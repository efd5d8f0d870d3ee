// Splits a command into words, without a shell: quotes keep words together, and all other characters are taken as they are.

/** Splits a command. @throws {SyntaxError} for a quote without its end, and for a command without a word */
export function commandWords(command: string | readonly string[]): string[] {
  if (typeof command !== 'string') return [...command];
  const words = command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/g) ?? [];
  if (words.some((word) => word === '"' || word === "'")) throw new SyntaxError(`a quote has no end in: ${command}`);
  if (words.length === 0) throw new SyntaxError('the command has no word');
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
