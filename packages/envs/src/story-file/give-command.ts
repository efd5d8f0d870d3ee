// Passes commands to the Z-machine and returns the text that the story prints.
import { enterKey, enterLine } from './machine/input.js';
import { run } from './machine/interpreter.js';
import type { Machine } from './machine/machine.js';

/** The largest number of times that Enter is pressed at the beginning ("press any key to begin"). */
const MAX_OPENING_KEYS = 20;

/** Returns the opening text, up to the first prompt. */
export function readOpening(machine: Machine): string {
  run(machine);
  for (let keys = 0; machine.pause === 'key' && keys < MAX_OPENING_KEYS; keys++) {
    enterKey(machine, '');
    run(machine);
  }
  return withoutPrompt(machine.screen.take());
}

/**
 * Passes a command, or only its first character if the game waits for a key, and runs the machine.
 *
 * @returns the text up to the next input, without the prompt; it begins with the newline that ends the typed command
 */
export function giveCommand(machine: Machine, command: string): string {
  if (machine.pause === 'key') enterKey(machine, command);
  else enterLine(machine, command);
  run(machine);
  return `\n${withoutPrompt(machine.screen.take())}`;
}

const withoutPrompt = (text: string) => text.replace(/\n> *$/, '');
