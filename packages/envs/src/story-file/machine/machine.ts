// Keeps the state of a Z-machine, the virtual machine of text adventures: memory, stack and routine calls. A snapshot saves and
// restores this state exactly. The operations are in operations/, the loop that executes them in interpreter.ts. Source: The
// Z-Machine Standards Document 1.1.
import { Dictionary } from './dictionary.js';
import { ObjectTree } from './object-tree.js';
import { initialScreenState, Screen, SCREEN_COLUMNS, SCREEN_ROWS, type ScreenState } from './screen.js';
import { StoryRandom, type StoryRandomState } from './story-random.js';
import type { Story } from './story.js';
import { ZText } from './z-text.js';

/** The size of the stack in 16-bit words. It contains the local variables and temporary values of all active routines. */
const STACK_WORDS = 32768;
const MAX_FRAMES = 4096;
/** The number of values that are stored for each active routine. The following constants are the index of each value. */
const FRAME_SIZE = 5;
const RETURN_PC = 0;
const CALLER_LOCALS = 1;
const CALLER_TOP = 2;
const RESULT_VARIABLE = 3;
const ARGUMENT_COUNT = 4;

/** The reason why the machine has stopped: it waits for a line or a key, or the game has ended. */
export type Pause = 'line' | 'key' | 'halted';

interface PendingInput {
  kind: 'line' | 'key';
  textBuffer: number;
  parseBuffer: number;
  /** The number of the variable that receives the key; −1 in versions 3 and 4, in which reading a line stores no key. */
  store: number;
}

export interface MachineSnapshot {
  memory: Uint8Array;
  stack: Uint16Array;
  frames: Int32Array;
  pc: number;
  locals: number;
  pause: Pause;
  input: PendingInput | null;
  random: StoryRandomState;
  screen: ScreenState;
}

/** Returns the value of a 16-bit word that is read as a signed number in two's complement (section 2.2 of the standard). */
export const signedWord = (word: number): number => (word << 16) >> 16;

/** The error for a game that breaks a rule of the Z-machine standard, after which the machine cannot continue. */
export class StoryFault extends Error {
  override readonly name = 'StoryFault';
}

export interface MachineOptions {
  seed: number;
  /** Whether the command UNDO of the game works. If not, the machine reports to the game that it cannot undo, as Jericho does. */
  hasUndo: boolean;
}

export class Machine {
  readonly memory: Uint8Array;
  readonly objects: ObjectTree;
  readonly text: ZText;
  readonly screen = new Screen();
  readonly random: StoryRandom;
  readonly dictionary: Dictionary;
  pc = 0;
  pause: Pause = 'halted';
  input: PendingInput | null = null;
  /** The rule of the standard that the game broke, because of which the machine halted; null if the game ended normally. */
  fault: StoryFault | null = null;
  /** The states that the game's commands SAVE and UNDO stored. They exist only in memory and not on disk. */
  savedGame: MachineSnapshot | null = null;
  undoStates: MachineSnapshot[] = [];
  readonly hasUndo: boolean;
  /** Whether the loop in interpreter.ts continues. An operation sets it to false to stop the loop. */
  isRunning = false;
  readonly stack = new Uint16Array(STACK_WORDS);
  stackTop = 0;
  /** The index in `stack` of the current routine's first local variable. */
  locals = 0;
  /** The values that the current call instruction passes to the routine. */
  readonly arguments = new Uint16Array(8);

  readonly #frames = new Int32Array(MAX_FRAMES * FRAME_SIZE);
  readonly #globals: number;
  readonly #staticBase: number;
  #frameCount = 0;

  constructor(
    readonly story: Story,
    { seed, hasUndo }: MachineOptions,
  ) {
    this.memory = story.bytes.slice();
    this.text = new ZText(story);
    this.objects = new ObjectTree(this.memory, story, this.text);
    this.dictionary = new Dictionary(story, this.text, this.memory, story.dictionary);
    this.random = new StoryRandom(seed);
    this.hasUndo = hasUndo;
    this.#globals = story.globals;
    this.#staticBase = story.staticBase;
    this.restart();
  }

  /** Restarts the game. Random numbers continue, and two flags of the header keep their values (section 6.1.3). */
  restart(): void {
    const keptFlags = this.memory[0x11] & 0b11;
    this.memory.set(this.story.bytes.subarray(0, this.#staticBase));
    this.#writeHeader();
    this.memory[0x11] = (this.memory[0x11] & ~0b11) | keptFlags;
    [this.stackTop, this.locals, this.#frameCount] = [0, 0, 0];
    this.screen.restore(initialScreenState);
    this.input = null;
    this.fault = null;
    this.pc = this.story.initialPc;
    this.pause = 'halted';
  }

  /** Sets the registers to the state before the game's first instruction. */
  start(): void {
    this.pause = 'halted';
    this.input = null;
    this.isRunning = true;
  }

  /** Stops the loop after the current instruction. Operations call this when the game waits for input or ends. */
  stop(pause: Pause, input: PendingInput | null = null): void {
    this.pause = pause;
    this.input = input;
    this.isRunning = false;
  }

  /** Throws an error about the game, with its name. @throws StoryFault */
  fail(problem: string): never {
    throw new StoryFault(`${this.story.name}: ${problem}`);
  }

  byte(address: number): number {
    return this.memory[address & 0xffff];
  }

  word(address: number): number {
    return (this.memory[address & 0xffff] << 8) | this.memory[(address + 1) & 0xffff];
  }

  setByte(address: number, value: number): void {
    if (address >= this.#staticBase) this.fail(`writes to address ${address}, where memory may not be written`);
    this.memory[address] = value;
  }

  setWord(address: number, value: number): void {
    if (address + 1 >= this.#staticBase) this.fail(`writes to address ${address}, where memory may not be written`);
    this.memory[address] = value >> 8;
    this.memory[address + 1] = value;
  }

  /**
   * Returns the value of an operand, which is a constant or a variable (coded as `Instruction` describes). Variable 0 is the top
   * of the stack, 1 to 15 are local variables, 16 to 255 global ones.
   */
  value(operand: number): number {
    return operand >= 0 ? operand : this.load(-1 - operand);
  }

  signed(operand: number): number {
    return signedWord(operand >= 0 ? operand : this.load(-1 - operand));
  }

  load(variable: number): number {
    if (variable === 0) return this.pop();
    if (variable < 16) return this.stack[this.locals + variable - 1];
    const address = this.#globals + 2 * (variable - 16);
    return (this.memory[address] << 8) | this.memory[address + 1];
  }

  save(variable: number, value: number): void {
    if (variable === 0) this.push(value);
    else if (variable < 16) this.stack[this.locals + variable - 1] = value;
    else {
      const address = this.#globals + 2 * (variable - 16);
      this.memory[address] = value >> 8;
      this.memory[address + 1] = value;
    }
  }

  /** Returns the value of a variable whose number is an operand. The stack is not popped (section 6.3.4 of the standard). */
  peek(variable: number): number {
    return variable === 0 ? this.stack[this.stackTop - 1] : this.load(variable);
  }

  /** Sets a variable whose number is an operand. On the stack, the top value is replaced (section 6.3.4 of the standard). */
  poke(variable: number, value: number): void {
    if (variable === 0) this.stack[this.stackTop - 1] = value;
    else this.save(variable, value);
  }

  push(value: number): void {
    if (this.stackTop >= STACK_WORDS) this.fail('the stack overflows');
    this.stack[this.stackTop++] = value;
  }

  pop(): number {
    if (this.stackTop <= 0) this.fail('takes a value from an empty stack');
    return this.stack[--this.stackTop];
  }

  branch(condition: boolean, { branchOn, branchTo }: { branchOn: boolean; branchTo: number }): void {
    if (condition !== branchOn) return;
    if (branchTo > 1) this.pc = branchTo;
    else this.return(branchTo);
  }

  /** Calls a routine. @param operands packed address, then arguments @param store variable of the result; −1: it is discarded */
  call(operands: readonly number[], store: number): void {
    const packed = this.value(operands[0]);
    const argumentCount = operands.length - 1;
    for (let i = 0; i < argumentCount; i++) this.arguments[i] = this.value(operands[i + 1]);
    this.callRoutine(packed, argumentCount, store);
  }

  /** Calls the routine at a packed address with the values in `arguments`. */
  callRoutine(packed: number, argumentCount: number, store: number): void {
    if (packed !== 0) this.#enter(this.story.routineAddress(packed), argumentCount, store);
    else if (store >= 0) this.save(store, 0); // a call of address 0 does nothing and returns false (6.4.3)
  }

  #enter(routine: number, argumentCount: number, store: number): void {
    const localCount = this.memory[routine];
    if (!(localCount <= 15)) this.fail(`calls ${routine}, which is not a routine`);
    if (this.#frameCount >= MAX_FRAMES || this.stackTop + localCount >= STACK_WORDS)
      this.fail('calls routines too deeply');
    const frame = this.#frameCount++ * FRAME_SIZE;
    this.#frames[frame + RETURN_PC] = this.pc;
    this.#frames[frame + CALLER_LOCALS] = this.locals;
    this.#frames[frame + CALLER_TOP] = this.stackTop;
    this.#frames[frame + RESULT_VARIABLE] = store;
    this.#frames[frame + ARGUMENT_COUNT] = argumentCount;
    this.locals = this.stackTop;
    this.stackTop += localCount;
    const hasDefaults = this.story.version <= 4; // from version 5 on, locals start at 0 (5.2.1)
    for (let i = 0; i < localCount; i++) {
      const initial = hasDefaults ? this.word32(routine + 1 + 2 * i) : 0;
      this.stack[this.locals + i] = i < argumentCount ? this.arguments[i] : initial;
    }
    this.pc = routine + 1 + (hasDefaults ? 2 * localCount : 0);
  }

  /** Returns the 16-bit word at an address that may exceed 16 bits, unlike the addresses that a game uses. */
  word32(address: number): number {
    return (this.memory[address] << 8) | this.memory[address + 1];
  }

  return(value: number): void {
    if (this.#frameCount === 0) this.fail('returns from the main routine');
    const frame = --this.#frameCount * FRAME_SIZE;
    this.pc = this.#frames[frame + RETURN_PC];
    this.locals = this.#frames[frame + CALLER_LOCALS];
    this.stackTop = this.#frames[frame + CALLER_TOP];
    const store = this.#frames[frame + RESULT_VARIABLE];
    if (store >= 0) this.save(store, value);
  }

  /** The number of active routines. The opcode `catch` returns it, and `throw` returns from all routines above this number. */
  get frameCount(): number {
    return this.#frameCount;
  }

  unwindTo(frameCount: number): void {
    if (frameCount > this.#frameCount) this.fail(`throws to frame ${frameCount} of ${this.#frameCount}`);
    this.#frameCount = frameCount;
  }

  get argumentCount(): number {
    return this.#frameCount === 0 ? 0 : this.#frames[(this.#frameCount - 1) * FRAME_SIZE + ARGUMENT_COUNT];
  }

  snapshot(): MachineSnapshot {
    return {
      memory: this.memory.slice(0, this.#staticBase),
      stack: this.stack.slice(0, this.stackTop),
      frames: this.#frames.slice(0, this.#frameCount * FRAME_SIZE),
      pc: this.pc,
      locals: this.locals,
      pause: this.pause,
      input: this.input,
      random: this.random.save(),
      screen: this.screen.save(),
    };
  }

  /** Restores a snapshot. The snapshot is not changed, so that it can be restored again. */
  restore(snapshot: MachineSnapshot): void {
    this.memory.set(snapshot.memory);
    this.stack.set(snapshot.stack);
    this.stackTop = snapshot.stack.length;
    this.#frames.set(snapshot.frames);
    this.#frameCount = snapshot.frames.length / FRAME_SIZE;
    this.pc = snapshot.pc;
    this.locals = snapshot.locals;
    this.pause = snapshot.pause;
    this.input = snapshot.input;
    this.fault = null;
    this.random.restore(snapshot.random);
    this.screen.restore(snapshot.screen);
  }

  /** Describes the interpreter in the header: a wide screen of unlimited height, version 1.1 of the standard (section 11). */
  #writeHeader(): void {
    const { memory } = this;
    const { version } = this.story;
    if (version <= 3) memory[0x01] = (memory[0x01] & ~0b0101_0000) | 0b0010_0000; // a status line and a split screen are available
    else memory[0x01] = 0b0001_1100; // bold, italic and fixed-width are available; colours, pictures, sounds and timed input are not
    memory[0x11] &= this.hasUndo ? 0b0101_0111 : 0b0100_0111; // pictures, mouse and sounds are not available
    if (version >= 4) memory.set([1, 'F'.charCodeAt(0), SCREEN_ROWS, SCREEN_COLUMNS], 0x1e); // interpreter 1 is the DECSystem-20
    if (version >= 5) memory.set([0, SCREEN_COLUMNS, 0, SCREEN_ROWS, 1, 1], 0x22);
    memory.set([1, 1], 0x32);
  }
}
