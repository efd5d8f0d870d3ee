import { PassThrough } from 'node:stream';
import type { JobContext } from '@bowyer/config';
import { openTerminal } from './terminal.js';

const stranger = '\x1b]0;owned\x07 \u009b2J \u202e';
const shown = '\\u001b]0;owned\\u0007 \\u009b2J \\u202e';

/** Returns two output streams, a terminal's and a pipe's, with the texts that were written to them. */
function outputs(isTTY: boolean) {
  const texts: string[] = [];
  const sink = () => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 200, rows: 50 });
    stream.on('data', (chunk: Buffer) => texts.push(chunk.toString()));
    return stream;
  };
  const context = { stdout: sink(), stderr: sink(), log: () => undefined, limitConsole: () => undefined };
  return { context: context as unknown as JobContext, text: () => texts.join('') };
}

test.each([
  ['a pipe', false, {}],
  ['a terminal', true, {}],
  ['JSON lines', false, { json: true }],
  ['the side of a protocol', false, { isSpoken: true }],
])('what a task prints to %s has no characters that a terminal obeys', async (_, isTTY, settings) => {
  const { context, text } = outputs(isTTY);
  const { print, progress, close } = await openTerminal(context, { quiet: false, json: false, ...settings });
  print(`${stranger}\n`);
  progress.report?.({ event: 'metrics', [stranger]: 1 });
  progress.write(`${stranger}\n`);
  close();
  expect(text()).toContain(shown);
  expect(text()).not.toMatch(/\x1b\]|\u009b|\u202e|\r/);
});
