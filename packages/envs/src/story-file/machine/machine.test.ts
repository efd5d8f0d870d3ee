import { readFileSync } from 'node:fs';
import { enterLine } from './input.js';
import { run } from './interpreter.js';
import { Machine, type MachineOptions } from './machine.js';
import { Story, StoryFormatError } from './story.js';

const folder = new URL('.', import.meta.url);
const opcodes = (version: number) =>
  new Story(readFileSync(new URL(`fixtures/opcodes.z${version}`, folder)), `opcodes.z${version}`);
const lighthouse = () => new Story(readFileSync(new URL('../lighthouse/lighthouse.z5', folder)), 'lighthouse.z5');

function start(story: Story, options: Partial<MachineOptions> = {}): Machine {
  const machine = new Machine(story, { seed: 1, hasUndo: false, ...options });
  run(machine);
  return machine;
}

function say(machine: Machine, line: string): string {
  enterLine(machine, line);
  run(machine);
  return machine.screen.take();
}

test.each([
  [3, 39],
  [4, 39],
  [5, 55],
  [8, 55],
])('version %i: the self-checking story finds all its %i checks right', (version, checks) => {
  const machine = start(opcodes(version));
  const lines = (machine.screen.take() + say(machine, 'XYZ BOX,')).trim().split('\n');
  expect(lines.filter((line) => line !== 'ok')).toEqual(['red ball / c / -12', 'saved 1']);
  expect(lines.filter((line) => line === 'ok')).toHaveLength(checks);
  expect(machine.fault).toBeNull();
});

const walk = [
  'n',
  'w',
  'take all',
  'e',
  'n',
  'x door',
  'w',
  'open drawer',
  'take all',
  'd',
  'open crate',
  'take wick',
  'drop all',
];

test('a snapshot restores text, score and random numbers, any number of times', () => {
  const machine = start(lighthouse());
  walk.slice(0, 5).forEach((command) => say(machine, command));
  const snapshot = machine.snapshot();
  const first = walk.slice(5).map((command) => say(machine, command));
  for (let again = 0; again < 2; again++) {
    machine.restore(snapshot);
    expect(walk.slice(5).map((command) => say(machine, command))).toEqual(first);
  }
});

test("the game's own save and restore go back to the moment of saving", () => {
  const machine = start(lighthouse());
  say(machine, 'take note');
  expect(say(machine, 'save')).toContain('Saved.');
  say(machine, 'n');
  expect(say(machine, 'restore')).toContain('Restored.');
  expect(say(machine, 'look')).toContain('<< Jetty >>');
});

test('a file that is not a story says what was expected', () => {
  expect(() => new Story(new Uint8Array(100), 'notes.txt')).toThrow(
    new StoryFormatError('notes.txt', 'Z-machine version 0 is not supported'),
  );
  expect(() => new Story(new Uint8Array(100), 'notes.txt')).toThrow(
    [
      'notes.txt: Z-machine version 0 is not supported',
      '  a Z-machine story file of version 3, 4, 5, 7, 8 is expected (.z3 to .z8, or a .zblorb around one)',
    ].join('\n'),
  );
  expect(() => new Story(new Uint8Array(10), 'empty.z5')).toThrow(/only 10 bytes, a header alone has 64/);
});

test('a story inside a Blorb package is found', () => {
  const story = readFileSync(new URL('../lighthouse/lighthouse.z5', folder));
  const chunk = (id: string, data: Uint8Array) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([Buffer.from(id, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
  };
  const body = Buffer.concat([Buffer.from('IFRS'), chunk('RIdx', Buffer.alloc(5)), chunk('ZCOD', story)]);
  expect(new Story(chunk('FORM', body)).bytes).toEqual(new Uint8Array(story));
});

test('a story that jumps nowhere halts its machine and nothing else', () => {
  const bytes = new Uint8Array(readFileSync(new URL('../lighthouse/lighthouse.z5', folder)));
  const broken = new Story(bytes, 'broken.z5');
  broken.bytes.fill(0, broken.initialPc, broken.initialPc + 8); // opcode 0 does not exist
  const machine = start(broken);
  expect(machine.pause).toBe('halted');
  expect(machine.fault?.message).toBe(`broken.z5: there is no opcode 0 in version 5, address ${broken.initialPc}`);
});
