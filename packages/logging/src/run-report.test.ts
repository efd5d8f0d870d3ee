import { renderReport } from './run-report.js';

const report = renderReport({
  title: 'archer_20q',
  header: ['policy', 'return'],
  rows: [['trained', '-3.20']],
  metrics: [
    { iteration: 0, 'eval/episodic_return': -7 },
    { iteration: 1, 'losses/q1': 2 },
    { iteration: 2, 'eval/episodic_return': -3 },
  ],
  charts: [
    { title: 'Return', keys: ['eval/episodic_return'], references: [{ name: 'optimum', y: -2.9 }] },
    { title: 'Never logged', keys: ['nothing'] },
  ],
  dialogues: [{ title: 'won', text: 'Questions:\nis it <b>? Yes.' }],
  config: 'seed: 0',
});

test('contains the table, the dialogues as text and a curve of the logged figures', () => {
  expect(report).toContain('<tr><td>trained</td><td>-3.20</td></tr>');
  expect(report).toContain('is it &lt;b&gt;? Yes.');
  expect(report.match(/<polyline/g)).toHaveLength(1);
  expect(report).not.toContain('Never logged');
});

test('opens offline: it names no other file and no server', () => {
  expect(report.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|<link|src=/);
});

test('a run without episodes has no heading for them', () => {
  const none = renderReport({
    title: 'finetune',
    header: ['model'],
    rows: [],
    metrics: [],
    charts: [],
    dialogues: [],
    config: '',
  });
  expect(none).not.toContain('Sample dialogues');
  expect(report).toContain('Sample dialogues');
});
