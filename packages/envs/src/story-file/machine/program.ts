// The code of one story, decoded while it is played, shared by all machines that play it.
import { decodeInstruction } from './decoder.js';
import type { Instruction } from './instruction.js';
import type { Machine } from './machine.js';
import type { Story } from './story.js';

class Program {
  /** Decoded instructions by address. */
  readonly instructions: (Instruction | undefined)[];

  constructor(private readonly story: Story) {
    // The array has full length from the start, since one that is filled at scattered places becomes a slow hash table.
    this.instructions = new Array<Instruction | undefined>(story.bytes.length).fill(undefined);
  }

  /** Instructions outside dynamic memory never change, so every machine of this story shares the decoded form. */
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
