// Splits a command into arguments without a shell: quotes keep words together, all other characters are literal.

/** Returns a command's arguments, or the list itself. @throws {SyntaxError} for an unclosed quote and an empty command */
export function commandWords(command: string | readonly string[]): string[] {
  if (typeof command !== 'string') return [...command];
  const words = command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/g) ?? [];
  if (words.some((word) => word === '"' || word === "'")) throw new SyntaxError(`a quote has no end in: ${command}`);
  if (words.length === 0) throw new SyntaxError('the command has no word');
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
