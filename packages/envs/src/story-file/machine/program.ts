// Caches the instructions of a story, which are decoded when they are first executed. All machines of the story share them.
import { decodeInstruction } from './decoder.js';
import type { Instruction } from './instruction.js';
import type { Machine } from './machine.js';
import type { Story } from './story.js';

class Program {
  readonly instructions: (Instruction | undefined)[];

  constructor(private readonly story: Story) {
    // The array has its full length from the start: one that is filled at scattered indices becomes a slow hash table.
    this.instructions = new Array<Instruction | undefined>(story.bytes.length).fill(undefined);
  }

  /** Returns the instruction at an address. It is cached if it is outside dynamic memory, where code cannot change. */
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
