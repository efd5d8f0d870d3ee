import { JobBoard } from './job-board.js';
import type { JobOutcome } from './sweep-job.js';

const finished: JobOutcome = { status: 'finished', note: '', seconds: 65, metrics: { 'eval/return': 1.23456 } };

/** What is on a terminal after the given output: lines, with `ESC[nA`, carriage return and `ESC[J` carried out. */
function screen(output: string): string[] {
  const lines = [''];
  let row = 0;

  for (const token of output.match(/\x1b\[\d*[AJ]|\r|\n|[^\x1b\r\n]+/g) ?? []) {
    if (token.endsWith('A') && token.startsWith('\x1b')) row -= Number(token.slice(2, -1));
    else if (token === '\x1b[J') lines.splice(row, Infinity, '');
    else if (token === '\n') lines[++row] ??= '';
    else if (token !== '\r') lines[row] += token;
  }
  return lines.slice(0, -1);
}

test('on a terminal each job at work has one line, the others stay above', () => {
  let [output, time] = ['', 0];
  const board = new JobBoard({ isTTY: true, columns: 40, write: (text) => (output += text) }, 3, () => time);
  board.say('3 jobs');
  board.started(0, '#0 x=1');
  board.started(1, '#1 x=2');
  time = 5;
  board.says(1, '[2026-11-21 11:51:51,357][run][INFO] - going on');
  time = 5.2; // redrawn ten times a second at most
  board.says(0, 'iteration ██░░ 2/4  ETA 5s  return -12.30  and more than fits');
  expect(screen(output)).toEqual([
    '3 jobs',
    '#0 x=1  5s  iteration ██░░ 2/4  ETA 5s ',
    '#1 x=2  5s  going on',
    '0/3 done, 2 at work',
  ]);
  board.ended(0, finished);
  board.started(2, '#2 x=3');
  board.ended(1, { ...finished, status: 'failed', note: 'exit code 3', metrics: {} }, ['Error: no']);
  expect(screen(output)).toEqual([
    '3 jobs',
    '#0 x=1: finished after 1m 05s, eval/return 1.235',
    '#1 x=2: failed after 1m 05s, exit code 3',
    '  Error: no',
    '#2 x=3  0s  starting',
    '2/3 done, 1 at work, 1 failed',
  ]);
  board.ended(2, finished);
  expect(screen(output).at(-1)).toBe('#2 x=3: finished after 1m 05s, eval/return 1.235');
});

test('in a pipe a line when a job starts and one when it ends', () => {
  let output = '';
  const board = new JobBoard({ write: (text) => (output += text) }, 1, () => 0);
  board.started(0, '#0 x=1');
  board.says(0, 'much talk');
  board.ended(0, finished);
  expect(output).toBe('#0 x=1: started\n#0 x=1: finished after 1m 05s, eval/return 1.235\n');
});
