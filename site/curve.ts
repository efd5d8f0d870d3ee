// Draws curves.
const NAMESPACE = 'http://www.w3.org/2000/svg';
const WIDTH = 640;
const HEIGHT = 240;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 10;
const LINES = 4;

export interface Curve {
  /** A description of the figure in words. */
  title: string;
  low: number;
  high: number;
  /** The name of the unit of the x axis. */
  unit: string;
  /** Values to draw as dashed lines, by name. */
  marks?: Readonly<Record<string, number>>;
}

type Attributes = Readonly<Record<string, string | number>>;

function shape(name: string, attributes: Attributes, text = ''): SVGElement {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** Returns a figure of consecutive values. */
export function drawCurve(values: readonly number[], { title, low, high, unit, marks = {} }: Curve): SVGElement {
  const x = (i: number): number => LEFT + (i / Math.max(1, values.length - 1)) * (WIDTH - LEFT - 8);
  const y = (value: number): number => TOP + ((high - value) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const figure = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title });
  for (let i = 0; i <= LINES; i++) {
    const value = low + ((high - low) * i) / LINES;
    figure.append(shape('line', { class: 'grid', x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }));
    figure.append(shape('text', { x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, String(+value.toPrecision(2))));
  }
  for (const [name, value] of Object.entries(marks)) {
    figure.append(shape('line', { class: 'best', x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }));
    figure.append(shape('text', { x: WIDTH - 8, y: y(value) - 5, 'text-anchor': 'end' }, name));
  }
  const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  figure.append(shape('polyline', { class: 'curve', points }));
  figure.append(shape('text', { x: LEFT, y: HEIGHT - 4 }, '1'));
  figure.append(shape('text', { x: WIDTH - 8, y: HEIGHT - 4, 'text-anchor': 'end' }, `${unit} ${values.length}`));
  return figure;
}
