// The loop that fetches and executes instructions.
import { compileBlock } from './block-compiler.js';
import { StoryFault, type Machine, type Pause } from './machine.js';
import { programOf, type Program } from './program.js';

/** Blocks between two inputs, far more than any game needs; a story that reaches it is in an endless loop. */
const MAX_BLOCKS_PER_TURN = 20_000_000;
/** The number of runs after which an instruction is compiled. */
const COMPILE_AT = 200;

/** Runs until the game waits for input or ends. */
export function run(machine: Machine): Pause {
  const program = programOf(machine.story);
  const { blocks } = program;
  machine.start();
  try {
    for (let budget = MAX_BLOCKS_PER_TURN; machine.isRunning; budget--) {
      const block = blocks[machine.pc];
      if (block === undefined) step(machine, program);
      else block(machine);
      if (budget === 0) machine.fail(`${MAX_BLOCKS_PER_TURN} steps without asking for input`);
    }
  } catch (error) {
    if (!(error instanceof StoryFault) && !(error instanceof RangeError)) throw error;
    machine.pause = 'halted';
    machine.fault = error instanceof StoryFault ? error : new StoryFault(`${machine.story.name}: ${error.message}`);
  }
  return machine.pause;
}

/** Executes one instruction, uncompiled. */
function step(machine: Machine, program: Program): void {
  const { pc, story } = machine;
  const instruction = program.instructionAt(machine, pc);
  machine.pc = instruction.next;
  instruction.execute(machine, instruction);
  if (machine.isCompiling && pc >= story.staticBase && ++program.heat[pc] === COMPILE_AT) {
    program.blocks[pc] = compileBlock(machine, pc);
  }
}
