import { summaryCsv, summaryText, type SummaryRow } from './summary.js';

const rows: SummaryRow[] = [
  {
    job: { number: 0, overrides: ['env=a', '+note="x, y"', 'lr=0.1'], directory: '/sweeps/s/0' },
    outcome: { status: 'finished', note: '', seconds: 12.34, metrics: { 'test/return': -8.123456, win: null } },
  },
  { job: { number: 1, overrides: ['env=a', '+note=z', 'lr=0.2'], directory: '/sweeps/s/1' }, outcome: null },
];

test('the table shows what differs between the jobs', () => {
  expect(summaryText(rows, ['test/return', 'win'], '/sweeps/s')).toBe(
    'job                          status  test/return  win  time  folder\n' +
      '──────────────────────  ───────────  ───────────  ───  ────  ──────\n' +
      '#0 +note="x, y" lr=0.1     finished       -8.123    –   12s       0\n' +
      '#1 +note=z lr=0.2       not started            –    –     –       1',
  );
});

test('the CSV has all overrides, full figures, and a column for each key that differs', () => {
  expect(summaryCsv(rows, ['test/return', 'win'])).toBe(
    'job,overrides,status,test/return,win,seconds,directory,note,lr\n' +
      '0,"env=a +note=""x, y"" lr=0.1",finished,-8.123456,,12.3,/sweeps/s/0,"""x, y""",0.1\n' +
      '1,env=a +note=z lr=0.2,not started,,,,/sweeps/s/1,z,0.2\n',
  );
});
