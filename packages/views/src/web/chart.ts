// Draws a line chart on a canvas (with uPlot). It has a legend above it, shows the values at the cursor, which mouse or arrow
// keys move, and has a table of its numbers.
import uPlot from 'uplot';
import { el, lazyDetails } from './dom.js';
import { figure } from './format.js';
import { colour, onThemeChange } from './theme.js';

export interface Line {
  name: string;
  x: readonly number[];
  y: readonly (number | null)[];
  /** The lower and upper edges of a band around the line. */
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
}

export interface ChartInput {
  title: string;
  xLabel: string;
  unit?: string;
  note?: string;
  lines: readonly Line[];
  references?: readonly { name: string; value: number }[];
}

/** The number of line colours in the style sheet: `--line-0` to `--line-7`. */
const COLOURS = 8;
/** The dash pattern of each line, since some readers cannot distinguish the colours. */
const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3], [5, 3], [14, 4], [2, 6], [6, 2, 2, 2]];
const HEIGHT = 230;
const INTEGERS = [1, 2, 5].flatMap((n) => [...Array(8).keys()].map((power) => n * 10 ** power)).sort((a, b) => a - b);
const TABLE_ROWS = 40;

export function chart(input: ChartInput): HTMLElement {
  const values = input.lines.map(() => el('output', {}));
  const position = el('span', { class: 'position' });
  const legend = el(
    'ul',
    { class: 'legend' },
    ...input.lines.map((line, i) => el('li', {}, swatch(i), `${line.name} `, values[i])),
    ...(input.references ?? []).map(({ name, value }) => el('li', { class: 'muted' }, `┄ ${name} ${figure(value)}`)),
  );
  const holder = el('div', { class: 'plot', tabindex: 0, role: 'img', 'aria-label': description(input) });
  const live = el('p', { class: 'hidden-text', 'aria-live': 'polite' });
  const unit = input.unit === undefined ? null : el('span', { class: 'muted' }, ` in ${input.unit}`);
  const figureElement = el(
    'figure',
    { class: 'chart' },
    el('figcaption', {}, el('strong', {}, input.title), unit, position),
    legend,
    holder,
    live,
    input.note === undefined ? null : el('p', { class: 'muted note' }, input.note),
    lazyDetails('Values as a table', () => valueTable(input)),
  );
  const show = (x: number | null, figures: readonly (number | null)[]) => {
    position.textContent = x === null ? '' : `${input.xLabel} ${figure(x)}`;
    values.forEach((output, i) => (output.textContent = figures[i] === null ? '' : figure(figures[i])));
  };
  whenVisible(holder, () => new Plot(holder, input, show, (text) => (live.textContent = text)));
  return figureElement;
}

class Plot {
  readonly #data: uPlot.AlignedData;
  #plot: uPlot;

  constructor(
    private readonly holder: HTMLElement,
    private readonly input: ChartInput,
    private readonly show: (x: number | null, values: readonly (number | null)[]) => void,
    private readonly say: (text: string) => void,
  ) {
    this.#data = aligned(input.lines);
    this.#plot = this.#draw();
    this.#rest();
    onThemeChange(() => this.#redraw());
    new ResizeObserver(() => this.#plot.setSize(this.#size())).observe(holder);
    holder.addEventListener('keydown', (event) => this.#key(event));
  }

  #redraw(): void {
    this.#plot.destroy();
    this.#plot = this.#draw();
  }

  #size() {
    return { width: Math.max(this.holder.clientWidth, 200), height: HEIGHT };
  }

  #draw(): uPlot {
    const { lines, references = [] } = this.input;
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    lines.forEach((line, i) => {
      const stroke = colour(`line-${i % COLOURS}`);
      series.push({
        stroke,
        width: 2,
        dash: DASHES[i % DASHES.length],
        spanGaps: true,
        points: { show: line.y.length <= 40, size: 5, fill: stroke },
      });
      if (!line.low || !line.high) return;
      const edge = { stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } };
      bands.push({
        series: [series.length + 1, series.length] as uPlot.Band.Bounds,
        fill: colour(`line-${i % COLOURS}`, 0.18),
      });
      series.push(edge, edge);
    });
    const text = colour('muted');
    const axis = {
      stroke: text,
      grid: { stroke: colour('grid'), width: 1 },
      ticks: { show: false },
      font: '12px system-ui',
    };
    const levels = references.map(({ value }) => value);
    return new uPlot(
      {
        ...this.#size(),
        padding: [8, 12, 0, 0],
        scales: {
          x: { time: false },
          y: { range: (_, low, high) => padded([low, high, ...levels].filter((value) => value !== null)) },
        },
        series,
        bands,
        axes: [
          { ...axis, incrs: INTEGERS, label: this.input.xLabel, labelSize: 20, labelFont: '12px system-ui', size: 32 },
          { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => figure(tick)) },
        ],
        legend: { show: false },
        cursor: { y: false, drag: { x: true, y: false } },
        hooks: {
          setCursor: [(plot) => this.#cursorMoved(plot.cursor.idx ?? null)],
          draw: [(plot) => drawReferences(plot, levels)],
        },
      },
      this.#data,
      this.holder,
    );
  }

  #cursorMoved(index: number | null): void {
    if (index === null) return this.#rest();
    this.show(
      this.#data[0][index],
      this.#rows().map((row) => nearest(row, index)),
    );
  }

  /** Shows the last value of each line in the legend, when the cursor is outside the chart. */
  #rest(): void {
    this.show(
      null,
      this.#rows().map((row) => nearest(row, row.length - 1)),
    );
  }

  #rows(): (readonly (number | null | undefined)[])[] {
    let at = 1;
    return this.input.lines.map((line) => {
      const row = this.#data[at];
      at += line.low && line.high ? 3 : 1;
      return row as (number | null | undefined)[];
    });
  }

  #key(event: KeyboardEvent): void {
    const last = this.#data[0].length - 1;
    const now = this.#plot.cursor.idx ?? last;
    const steps: Record<string, number> = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      PageUp: now - Math.ceil(last / 10),
      PageDown: now + Math.ceil(last / 10),
      Home: 0,
      End: last,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const index = Math.min(Math.max(steps[event.key], 0), last);
    const x = this.#data[0][index];
    this.#plot.setCursor({ left: this.#plot.valToPos(x, 'x'), top: 10 });
    const figures = this.#rows().map((row, i) => `${this.input.lines[i].name} ${figure(nearest(row, index))}`);
    this.say(`${this.input.xLabel} ${figure(x)}: ${figures.join(', ')}`);
  }
}

/**
 * Returns the data of all lines in uPlot's form, over one common list of x positions. A band adds two rows of data after those of
 * its line.
 */
function aligned(lines: readonly Line[]): uPlot.AlignedData {
  const tables = lines.map(({ x, y, low, high }): uPlot.AlignedData => {
    const rows = low && high ? [y, low, high] : [y];
    return [[...x], ...rows.map((row) => [...row])];
  });
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

/** Returns the value at an index of a line; if it is missing, the last value before it. */
function nearest(row: readonly (number | null | undefined)[], index: number): number | null {
  for (let i = index; i >= 0; i--) if (row[i] !== null && row[i] !== undefined) return row[i]!;
  return null;
}

function padded(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 1];
  let [low, high] = [values[0], values[0]];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low - room, high + room];
}

function drawReferences(plot: uPlot, levels: readonly number[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour('muted');
  ctx.setLineDash([4, 4]);
  for (const level of levels) {
    const y = plot.valToPos(level, 'y', true);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

/** Draws a short sample of a line's colour and dashes for the legend. */
function swatch(i: number): SVGSVGElement {
  const [svg, line] = ['svg', 'line'].map((name) => document.createElementNS('http://www.w3.org/2000/svg', name));
  const all = { svg: { width: 26, height: 10, 'aria-hidden': 'true' }, line: { x1: 0, y1: 5, x2: 26, y2: 5 } };
  for (const [name, value] of Object.entries(all.svg)) svg.setAttribute(name, String(value));
  for (const [name, value] of Object.entries(all.line)) line.setAttribute(name, String(value));
  line.setAttribute('style', `stroke:var(--line-${i % COLOURS});stroke-width:3`);
  line.setAttribute('stroke-dasharray', DASHES[i % DASHES.length].join(' '));
  svg.append(line);
  return svg as SVGSVGElement;
}

/** Returns a description of the chart for screen readers. */
function description({ title, xLabel, lines }: ChartInput): string {
  const parts = lines.map(({ name, x, y }) => {
    const known = y.filter((value) => value !== null);
    if (known.length === 0) return `${name}: no figures`;
    let [low, high] = [known[0], known[0]];
    for (const value of known) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return (
      `${name}: from ${figure(known[0])} to ${figure(known.at(-1))} between ${xLabel} ${figure(x[0])} and ${figure(x.at(-1))}, ` +
      `lowest ${figure(low)}, highest ${figure(high)}`
    );
  });
  return `${title}. ${parts.join('. ')}. Arrow keys read the values.`;
}

function valueTable({ lines, xLabel }: ChartInput): HTMLElement {
  const data = aligned(lines.map(({ name, x, y }) => ({ name, x, y })));
  const step = Math.max(1, Math.ceil(data[0].length / TABLE_ROWS));
  const rows = [...data[0].keys()].filter((i) => i % step === 0 || i === data[0].length - 1);
  return el(
    'div',
    { class: 'scroll', tabindex: 0 },
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...[xLabel, ...lines.map(({ name }) => name)].map((name) =>
            el('th', { scope: 'col', class: 'figure' }, name),
          ),
        ),
      ),
      el(
        'tbody',
        {},
        ...rows.map((i) =>
          el(
            'tr',
            {},
            ...data.map((row, c) =>
              el(c === 0 ? 'th' : 'td', { class: 'figure', ...(c === 0 && { scope: 'row' }) }, figure(row[i])),
            ),
          ),
        ),
      ),
    ),
  );
}

/** The charts that are not drawn yet: the function that draws each, by the chart's element. */
const waiting = new Map<Element, () => void>();

const visibility = new IntersectionObserver(
  (entries) => entries.filter(({ isIntersecting }) => isIntersecting).forEach(({ target }) => drawNow(target)),
  { rootMargin: '300px' },
);

/**
 * Draws a chart now if it is near the visible part of the page, and otherwise when the browser is idle, so that a page with many
 * charts opens quickly.
 */
function whenVisible(element: HTMLElement, draw: () => void): void {
  waiting.set(element, draw);
  visibility.observe(element);
  drawWhenIdle();
}

/**
 * Draws a chart that is not drawn yet. If its element has no width, as in a closed block, the chart is drawn when it becomes
 * visible.
 */
function drawNow(element: Element): void {
  const draw = waiting.get(element);
  if (draw === undefined || element.clientWidth === 0) return;
  visibility.unobserve(element);
  waiting.delete(element);
  draw();
}

let isPlanned = false;

/** Draws one of the remaining charts in each idle period of the browser, so that a screenshot of the whole page contains all charts. */
function drawWhenIdle(): void {
  if (isPlanned) return;
  isPlanned = true;
  whenIdle(() => {
    isPlanned = false;
    const next = [...waiting.keys()].find((element) => element.clientWidth > 0);
    if (next === undefined) return;
    drawNow(next);
    drawWhenIdle();
  });
}

// Safari has no requestIdleCallback.
const whenIdle = (work: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 50);

addEventListener('beforeprint', () => [...waiting.keys()].forEach(drawNow));
