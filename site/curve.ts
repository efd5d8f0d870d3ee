// Draws the curve of returns.
const NAMESPACE = 'http://www.w3.org/2000/svg';
const WIDTH = 640;
const HEIGHT = 240;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 10;
/** The return of a game of twenty wrong questions, and that of a perfect player with the demonstrator's questions on ten things. */
const WORST = -20;
const PERFECT = -2.9;

type Attributes = Readonly<Record<string, string | number>>;

function shape(name: string, attributes: Attributes, text = ''): SVGElement {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** Returns a figure of the returns, one for each iteration, with the perfect player's as a dashed line. */
export function drawCurve(returns: readonly number[]): SVGElement {
  const x = (i: number): number => LEFT + (i / Math.max(1, returns.length - 1)) * (WIDTH - LEFT - 8);
  const y = (value: number): number => TOP + (value / WORST) * (HEIGHT - TOP - BOTTOM);
  const last = returns.at(-1)!.toFixed(2);
  const figure = shape('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: 'img',
    'aria-label': `Return of ${returns.length} iterations, ${last} in the last; a perfect player has ${PERFECT}`,
  });
  for (const value of [0, -5, -10, -15, WORST]) {
    figure.append(shape('line', { class: 'grid', x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }));
    figure.append(shape('text', { x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, String(value)));
  }
  figure.append(shape('line', { class: 'best', x1: LEFT, x2: WIDTH - 8, y1: y(PERFECT), y2: y(PERFECT) }));
  figure.append(shape('text', { x: WIDTH - 8, y: y(PERFECT) - 5, 'text-anchor': 'end' }, 'perfect player'));
  const points = returns.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  figure.append(shape('polyline', { class: 'curve', points }));
  figure.append(shape('text', { x: LEFT, y: HEIGHT - 4 }, '1'));
  figure.append(shape('text', { x: WIDTH - 8, y: HEIGHT - 4, 'text-anchor': 'end' }, `iteration ${returns.length}`));
  return figure;
}
