// The code of one story, decoded and compiled while it is played, shared by all machines that play it.
import { decodeInstruction } from './decoder.js';
import type { Instruction } from './instruction.js';
import type { Machine } from './machine.js';
import type { Story } from './story.js';

/** Runs some instructions from one address on, and leaves `machine.pc` where the next one is. */
export type Block = (machine: Machine) => void;

export class Program {
  /** Decoded instructions by address. */
  readonly instructions: (Instruction | undefined)[];
  /** Compiled blocks by start address. */
  readonly blocks: (Block | undefined)[];
  /** The number of times that the instruction at each address has run uncompiled. */
  readonly heat: Uint16Array;

  constructor(private readonly story: Story) {
    // The arrays have full length from the start, since one that is filled at scattered places becomes a slow hash table.
    const { length } = story.bytes;
    this.instructions = new Array<Instruction | undefined>(length).fill(undefined);
    this.blocks = new Array<Block | undefined>(length).fill(undefined);
    this.heat = new Uint16Array(length);
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
