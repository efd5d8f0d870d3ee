// Reads the lines that the player of task=play types: from a pipe, or from a terminal with a history and completion by Tab.
import { createInterface } from 'node:readline';
import { completions } from './valid-actions.js';

export interface Prompt {
  /** Whether the input is a terminal, so that the player can be asked back. */
  readonly isTerminal: boolean;
  /** The width of the terminal in columns; Infinity without a terminal. */
  readonly columns: number;
  /** Null after the last line, or after Ctrl-C. */
  read(question: string, choices?: readonly string[]): Promise<string | null>;
  close(): void;
}

/** @param print writes to standard output */
export function openPrompt(print: (text: string) => void): Prompt {
  const { stdin: input, stdout: output } = process;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  let choices: readonly string[] = [];
  const completer = (typed: string) => completions(typed, choices);
  const lines = createInterface(isTerminal ? { input, output, completer, terminal: true } : { input });
  const typed = lines[Symbol.asyncIterator]();
  let isClosed = false;
  lines.once('close', () => (isClosed = true));
  lines.on('SIGINT', () => {
    print('\n');
    lines.close();
  });
  return {
    isTerminal,
    get columns() {
      return isTerminal ? output.columns || 80 : Infinity;
    },
    async read(question, offered = []) {
      choices = offered;
      if (isTerminal && isClosed) return null;
      if (isTerminal) {
        lines.setPrompt(question);
        lines.prompt();
      } else print(question);
      return (await typed.next()).value ?? null;
    },
    close: () => lines.close(),
  };
}
