// Compiles instructions that run often to JavaScript functions, a few branches deep: they are twice as fast as the plain loop in
// interpreter.ts, which is the reference. A compiled block does exactly what its instructions do.
import { RETURN_FALSE, RETURN_TRUE, type Instruction } from './instruction.js';
import type { Machine } from './machine.js';
import { programOf, type Block } from './program.js';

/** Instructions in a block at most, counted in all its branches. */
const MAX_BLOCK_LENGTH = 160;
const MAX_BRANCH_DEPTH = 6;
/** How often a block that jumps to its own start repeats inside; it then returns, so that the interpreter can detect endless loops. */
const MAX_ROUNDS = 1024;

/** The names that generated code may use beside `m`, the machine: its stack, memory, base of locals, and a temporary number. */
const PROLOGUE = 'const s=m.stack,b=m.memory,l=m.locals;let t=0;';

/** Operations after which the next instruction is not known, or the machine has stopped. */
const ENDS_BLOCK = new Set([28, 139, 176, 177, 179, 181, 182, 183, 184, 186, 228, 246, 256, 257, 265, 266]);
const CALLS = new Set([25, 26, 136, 224, 236, 249, 250]);
const CALL_1N = 143;
const JUMP = 140;

export function compileBlock(machine: Machine, start: number): Block {
  const block: Draft = { machine, start, instructions: [] };
  const code = translatePath(block, start, new Set());
  // The code contains numbers only; it reads texts from the instructions.
  const build = new Function('I', `return function(m){${PROLOGUE}for(let n=0;n<${MAX_ROUNDS};n++){${code}}}`);
  return (build as (instructions: Instruction[]) => Block)(block.instructions);
}

/** A block that is being compiled. */
interface Draft {
  machine: Machine;
  start: number;
  /** All its instructions, which the code reads as I[0], I[1], … */
  instructions: Instruction[];
}

/**
 * Writes code for the instructions from an address on; the code after a taken branch is written inside the branch.
 *
 * @param behind addresses already on this path, and one further number for each branch taken
 */
function translatePath(block: Draft, start: number, behind: ReadonlySet<number>): string {
  const { machine, instructions } = block;
  const program = programOf(machine.story);
  const path = new Set(behind);
  const lines: string[] = [];
  for (let at = start; ;) {
    if (path.has(at) || instructions.length >= MAX_BLOCK_LENGTH) return lines.join('\n') + leaveFor(at, block.start);
    path.add(at);
    const instruction = program.instructionAt(machine, at);
    const index = instructions.push(instruction) - 1;
    at = instruction.next;
    if (instruction.code === JUMP && instruction.a >= 0) {
      at += signed(instruction.a) - 2; // the jump is followed at compile time and needs no code
      continue;
    }
    const line = translate({ block, instruction, path }, index);
    lines.push(line.code);
    if (line.endsBlock) return `${lines.join('\n')}return;`;
  }
}

/** Returns code that continues at another address; at the block's own start it loops. */
const leaveFor = (address: number, start: number): string =>
  `m.pc=${address};${address === start ? 'continue' : 'return'};`;

interface Line {
  code: string;
  endsBlock: boolean;
}

/** One instruction, and the path on which it lies. */
interface Site {
  block: Draft;
  instruction: Instruction;
  path: ReadonlySet<number>;
}

function translate(site: Site, index: number): Line {
  const { block, instruction } = site;
  const { code } = instruction;
  const isCall = CALLS.has(code) || (code === CALL_1N && block.machine.story.version >= 5);
  if (isCall) return { code: call(block.machine, instruction), endsBlock: true };
  const inline = inlineCode(site);
  if (inline !== undefined) return { code: inline, endsBlock: false };
  const execute = `I[${index}].execute(m,I[${index}]);`;
  if (ENDS_BLOCK.has(code) || code === JUMP) return { code: `m.pc=${instruction.next};${execute}`, endsBlock: true };
  if (instruction.branchTo < 0) return { code: execute, endsBlock: false };
  return { code: `m.pc=${instruction.next};${execute}if(m.pc!==${instruction.next})return;`, endsBlock: false };
}

const signed = (value: number) => (value << 16) >> 16;

/** Returns an expression for an operand's value; `Instruction` describes how operands are coded. */
function read(machine: Machine, operand: number): string {
  if (operand >= 0) return String(operand);
  const variable = -1 - operand;
  if (variable === 0) return 'm.pop()';
  if (variable < 16) return `s[l+${variable - 1}]`;
  const address = machine.story.globals + 2 * (variable - 16);
  return `(b[${address}]<<8|b[${address + 1}])`;
}

function readSigned(machine: Machine, operand: number): string {
  return operand >= 0 ? String(signed(operand)) : `(${read(machine, operand)}<<16>>16)`;
}

/** Returns a statement that stores an expression; typed arrays truncate it to 16 bits. */
function write(machine: Machine, variable: number, expression: string): string {
  if (variable === 0) return `m.push(${expression});`;
  if (variable < 16) return `s[l+${variable - 1}]=${expression};`;
  const address = machine.story.globals + 2 * (variable - 16);
  return `t=${expression};b[${address}]=t>>8;b[${address + 1}]=t;`;
}

function branch(condition: string, site: Site): string {
  const { branchOn, branchTo } = site.instruction;
  return `if(${branchOn ? condition : `!(${condition})`}){${taken(site, branchTo)}}`;
}

function taken({ block, path }: Site, target: number): string {
  if (target === RETURN_FALSE || target === RETURN_TRUE) return `m.return(${target});return;`;
  const depth = [...path].filter((mark) => mark < 0).length;
  if (depth >= MAX_BRANCH_DEPTH) return leaveFor(target, block.start);
  return translatePath(block, target, new Set([...path, -1 - depth]));
}

function call(machine: Machine, { operands, store, next }: Instruction): string {
  const routine = `const r=${read(machine, operands[0])};`;
  const given = operands.slice(1).map((operand, k) => `m.arguments[${k}]=${read(machine, operand)};`);
  return `{${routine}${given.join('')}m.pc=${next};m.callRoutine(r,${operands.length - 1},${store});}`;
}

/** Returns code for the most common operations; undefined for all others. */
function inlineCode(site: Site): string | undefined {
  const { machine } = site.block;
  const { instruction } = site;
  const { a, b, store, operands } = instruction;
  const x = () => read(machine, a);
  const y = () => read(machine, b);
  const stored = (expression: string) => write(machine, store, expression);
  switch (instruction.code) {
    case 1: // je
      return operands.length === 2 ? branch(`${x()}===${y()}`, site) : undefined;
    case 2: // jl
      return branch(`${readSigned(machine, a)}<${readSigned(machine, b)}`, site);
    case 3: // jg
      return branch(`${readSigned(machine, a)}>${readSigned(machine, b)}`, site);
    case 8: // or
      return stored(`${x()}|${y()}`);
    case 9: // and
      return stored(`${x()}&${y()}`);
    case 10: // test_attr
      return branch(`m.objects.hasAttribute(${x()},${y()})`, site);
    case 15: // loadw
      return stored(`m.word(${x()}+2*${y()})`);
    case 16: // loadb
      return stored(`m.byte(${x()}+${y()})`);
    case 20: // add
      return stored(`${x()}+${y()}`);
    case 21: // sub
      return stored(`${x()}-${y()}`);
    case 128: // jz
      return branch(`${x()}===0`, site);
    case 232: // push
      return `m.push(${x()});`;
    default:
      return inlineVariableCode(site);
  }
}

/** Operations on a variable given as a constant; the top of the stack has rules of its own and keeps the plain form. */
function inlineVariableCode(site: Site): string | undefined {
  const { machine } = site.block;
  const { instruction } = site;
  const variable = instruction.a;
  if (variable < 1) return undefined;
  const changed = (by: number) => write(machine, variable, `${read(machine, -1 - variable)}+${by}`);
  const compared = (relation: string) =>
    branch(`${readSigned(machine, -1 - variable)}${relation}${readSigned(machine, instruction.b)}`, site);
  switch (instruction.code) {
    case 4: // dec_chk
      return changed(-1) + compared('<');
    case 5: // inc_chk
      return changed(1) + compared('>');
    case 13: // store
      return write(machine, variable, read(machine, instruction.b));
    case 133: // inc
      return changed(1);
    case 134: // dec
      return changed(-1);
    case 142: // load
      return write(machine, instruction.store, read(machine, -1 - variable));
    case 233: // pull
      return write(machine, variable, 'm.pop()');
    default:
      return undefined;
  }
}
