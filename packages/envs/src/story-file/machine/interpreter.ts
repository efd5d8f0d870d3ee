import { StoryFault, type Machine, type Pause } from './machine.js';
import { programOf } from './program.js';

/** The largest number of instructions between two inputs; a game that reaches it is in an endless loop and is stopped. */
const MAX_INSTRUCTIONS_PER_TURN = 20_000_000;

/** Runs the game until it waits for input or ends. */
export function run(machine: Machine): Pause {
  const program = programOf(machine.story);
  machine.start();
  try {
    for (let budget = MAX_INSTRUCTIONS_PER_TURN; machine.isRunning; budget--) {
      const instruction = program.instructionAt(machine, machine.pc);
      machine.pc = instruction.next;
      instruction.execute(machine, instruction);
      if (budget === 0) machine.fail(`${MAX_INSTRUCTIONS_PER_TURN} instructions without asking for input`);
    }
  } catch (error) {
    if (!(error instanceof StoryFault) && !(error instanceof RangeError)) throw error;
    machine.pause = 'halted';
    machine.fault = error instanceof StoryFault ? error : new StoryFault(`${machine.story.name}: ${error.message}`);
  }
  return machine.pause;
}
