import { LiveRegion } from './live-region.js';
import { ProgressBar } from './progress-bar.js';
import { RunFigures, sparkline } from './run-figures.js';

/** A terminal: what its rows show after what was written, with the sequences that the region uses carried out. */
class Screen {
  readonly isTTY = true;
  columns = 40;
  rows = 10;
  #lines = [''];
  #row = 0;
  #column = 0;

  write(text: string): boolean {
    for (const token of text.match(/\x1b\[[0-9;?]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+/g) ?? []) this.#carryOut(token);
    return true;
  }

  /** Returns the rows of the screen without empty rows at the end. */
  get shown(): string[] {
    return this.#lines.join('\n').trimEnd().split('\n');
  }

  #carryOut(token: string): void {
    const count = Number(/\d+/.exec(token)?.[0] ?? 1);
    if (token === '\n') this.#move(this.#row + 1, 0);
    else if (token === '\r' || /^\x1b\[\d*G$/.test(token)) this.#column = 0;
    else if (/^\x1b\[\d*A$/.test(token)) this.#move(this.#row - count, this.#column);
    else if (/^\x1b\[\d*B$/.test(token)) this.#move(this.#row + count, this.#column);
    else if (token === '\x1b[2K') this.#lines[this.#row] = '';
    else if (token === '\x1b[K') this.#lines[this.#row] = this.#lines[this.#row].slice(0, this.#column);
    else if (token === '\x1b[J') this.#lines.splice(this.#row, Infinity, '');
    else if (!token.startsWith('\x1b')) this.#put(token);
  }

  #put(text: string): void {
    const line = this.#lines[this.#row].padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
  }

  #move(row: number, column: number): void {
    while (this.#lines.length <= row) this.#lines.push('');
    [this.#row, this.#column] = [row, column];
  }

  /** Makes the terminal narrower, which wraps what it shows. */
  narrow(columns: number): void {
    const wrap = (line: string) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''];
    const below = this.#lines.length - this.#row;
    this.#lines = this.#lines.flatMap(wrap);
    this.#row = this.#lines.length - below;
    this.columns = columns;
  }
}

test('lines above the region stay, and are never joined to it', async () => {
  const screen = new Screen();
  const live = await LiveRegion.open(screen, false);
  let count = 1;
  const text = () => [`counted ${count}`, 'below it'];
  screen.write('before\n');
  live.show(text);
  live.above(() => screen.write('a log line\n'));
  count = 2;
  live.refresh();
  expect(screen.shown).toEqual(['before', 'a log line', 'counted 2', 'below it']);
  live.end(text, true);
  screen.write('after\n');
  expect(screen.shown).toEqual(['before', 'a log line', 'counted 2', 'below it', 'after']);
});

test('a terminal that becomes narrower shows each line once, cut', async () => {
  const screen = new Screen();
  const live = await LiveRegion.open(screen, false);
  const text = () => ['a line of thirty-five letters, wide', 'short'];
  screen.write('before\n');
  live.show(text);
  screen.narrow(20);
  live.refresh();
  live.close();
  expect(screen.shown).toEqual(['before', 'a line of thirty-fi', 'short']);
});

test('when a text ends, the previous one is shown again', async () => {
  const screen = new Screen();
  const live = await LiveRegion.open(screen, false);
  const [run, validation] = [() => ['run'], () => ['validation']];
  live.show(run);
  live.show(validation);
  expect(screen.shown).toEqual(['validation']);
  live.end(validation, false);
  expect(screen.shown).toEqual(['run']);
  live.close();
});

test('a training shows its figures below its bar', async () => {
  const screen = new Screen();
  screen.columns = 80;
  const figures = new RunFigures();
  let now = 0;
  const live = await LiveRegion.open(screen, false);
  const bar = new ProgressBar(
    'iteration',
    4,
    { live, write: () => true },
    () => now,
    (columns) => figures.lines(columns),
  );
  const losses = { 'losses/q1': 0.5, 'losses/policy': -1.25, 'diagnostics/kl_to_start': 0.0123 };
  for (const [i, value] of [-20, -15, -10].entries()) {
    const metrics = { 'rollout/episodic_return': value, 'rollout/win_rate': i / 4, 'rollout/tokens': 500, ...losses };
    figures.add(metrics, { rollout: 2, critic: 1 });
  }
  now = 30;
  bar.update(3, 'rollout 8/32');
  expect(screen.shown.slice(0, 5)).toEqual([
    'iteration ███████████████░░░░░ 3/4  ETA 10s  rollout 8/32',
    'return       -10.00  ▁▅█  -20.00 … -10.00',
    'win rate       0.50  ▁▅█  0.00 … 0.50',
    'losses    q1 0.5  policy -1.25',
    'KL        to start 0.0123',
  ]);
  expect(screen.shown[5]).toMatch(/^speed {5}250 tokens\/s sampled {2}3.0 s an iteration {2}\d+ MB memory$/);
  live.close();
});

test('a curve shows the latest values that fit', () => {
  expect(sparkline([9, 9, 0, 1, 2, 3], 4)).toBe('▁▃▆█');
  expect(sparkline([5, 5], 10)).toBe('▁▁');
});
