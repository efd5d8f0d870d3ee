import { JobBoard } from './job-board.js';
import type { JobOutcome } from './sweep-job.js';

const finished: JobOutcome = { status: 'finished', note: '', seconds: 65, metrics: { 'eval/return': 1.23456 } };

test('on a terminal all jobs are one table, the running ones first', () => {
  let [output, time] = ['', 0];
  const board = new JobBoard({ write: (text) => (output += text) }, 3, () => time);
  board.started(0, '#0 x=1');
  board.started(1, '#1 x=2 and_a_very_long_key=of_an_override');
  time = 5;
  board.says(1, '[2026-11-21 11:51:51,357][run][INFO] - resuming');
  board.says(0, 'iteration ██░░ 2/4  ETA 5s');
  const size = { columns: 79, rows: 23 };
  expect(board.lines(size)).toEqual([
    'job                              status       time  latest',
    '#0 x=1                           at work        5s  iteration 2/4  ETA 5s',
    '#1 x=2 and_a_very_long_key=of_…  at work        5s  resuming',
    '0/3 done, 2 at work',
  ]);
  board.ended(0, finished);
  board.started(2, '#2 x=3');
  board.ended(1, { ...finished, status: 'failed', note: 'exit code 3', metrics: {} }, ['Error: no']);
  expect(board.lines(size)).toEqual([
    'job                              status       time  latest',
    '#2 x=3                           at work        0s  starting',
    '#1 x=2 and_a_very_long_key=of_…  failed     1m 05s  exit code 3',
    '#0 x=1                           finished   1m 05s  eval/return 1.235',
    '2/3 done, 1 at work, 1 failed',
  ]);
  // The table shows as many jobs as fit on the terminal.
  expect(board.lines({ columns: 79, rows: 5 }).at(-1)).toBe('2/3 done, 1 at work, 1 failed, 1 not shown');
  expect(output).toContain(
    '#1 x=2 and_a_very_long_key=of_an_override: failed after 1m 05s, exit code 3\n  Error: no\n',
  );
});

test('for a script each job is a JSON object', () => {
  const events: unknown[] = [];
  const board = new JobBoard({ write: () => true, report: (event) => events.push(event) }, 1, () => 0);
  board.started(0, '#0 x=1');
  board.ended(0, finished);
  expect(events).toEqual([
    { event: 'job', job: 0, label: '#0 x=1', status: 'started' },
    { event: 'job', job: 0, label: '#0 x=1', ...finished, details: [] },
  ]);
});
