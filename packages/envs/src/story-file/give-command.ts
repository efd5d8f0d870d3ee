// Passes commands to the Z-machine, the interpreter of text adventures, and returns the text that the game prints.
import { enterKey, enterLine } from './machine/input.js';
import { run } from './machine/interpreter.js';
import type { Machine } from './machine/machine.js';

/** The largest number of times that Enter is pressed to pass a game's opening ("press any key to begin"). */
const MAX_OPENING_KEYS = 20;

/** Returns the text that a game prints before its first prompt. */
export function readOpening(machine: Machine): string {
  run(machine);
  for (let keys = 0; machine.pause === 'key' && keys < MAX_OPENING_KEYS; keys++) {
    enterKey(machine, '');
    run(machine);
  }
  return withoutPrompt(machine.screen.take());
}

/**
 * Runs the machine with a command (only its first character if the game waits for a key). Returns the text up to the next request
 * for input, without the prompt; it begins with the newline that ends the typed command.
 */
export function giveCommand(machine: Machine, command: string): string {
  if (machine.pause === 'key') enterKey(machine, command);
  else enterLine(machine, command);
  run(machine);
  return `\n${withoutPrompt(machine.screen.take())}`;
}

const withoutPrompt = (text: string) => text.replace(/\n> *$/, '');
