// Caches a game's decoded instructions, for all machines that run the game; each is decoded when it is first executed.
import { decodeInstruction } from './decoder.js';
import type { Instruction } from './instruction.js';
import type { Machine } from './machine.js';
import type { Story } from './story.js';

class Program {
  readonly instructions: (Instruction | undefined)[];

  constructor(private readonly story: Story) {
    // The array gets its full length at once, since V8 would store one that is filled at scattered indices as a slow hash table.
    this.instructions = new Array<Instruction | undefined>(story.bytes.length).fill(undefined);
  }

  /** Returns the instruction at an address; cached only outside the writable memory, where a game cannot change its code. */
  instructionAt(machine: Machine, address: number): Instruction {
    const known = this.instructions[address];
    if (known !== undefined) return known;
    if (address < 0 || address >= this.story.bytes.length) machine.fail(`jump to ${address}, outside the story`);
    const instruction = decodeInstruction(machine, address);
    if (address >= this.story.staticBase) this.instructions[address] = instruction;
    return instruction;
  }
}

const programs = new WeakMap<Story, Program>();

export function programOf(story: Story): Program {
  const program = programs.get(story) ?? new Program(story);
  programs.set(story, program);
  return program;
}
