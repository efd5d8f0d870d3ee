// Draws a line chart as an SVG string without scripts or fonts. It can be read on light and dark pages.
import { maximum, minimum } from '@bowyer/core';

export interface Series {
  name: string;
  /** The points in the order of x. If all of them have `low` and `high`, a band between these values is drawn around the line. */
  points: readonly { x: number; y: number; low?: number; high?: number }[];
}

export interface ChartOptions {
  title: string;
  xLabel: string;
  /** Horizontal reference lines, such as a known optimum. */
  references?: readonly { name: string; y: number }[];
}

const WIDTH = 440;
/** The height of the chart in pixels, without the legend. */
const HEIGHT = 240;
const MARGIN = { left: 52, right: 12, bottom: 36 };
/** The height of the area above the curves in pixels, without the legend. */
const TOP = 30;
const LEGEND_LINE = 14;
/** The width of a character of the labels in pixels at font size 11, rounded up. */
const CHARACTER = 6.5;
const COLOURS = ['#2563eb', '#dc2626', '#059669', '#d97706', '#7c3aed', '#0891b2'];

export function lineChart(series: readonly Series[], { title, xLabel, references = [] }: ChartOptions): string {
  const points = series.flatMap((one) => one.points);
  // The legend is above the plot area, so that no curve crosses it.
  const legend = series.length > 1 ? legendPlaces(series.map(({ name }) => name)) : { places: [], lines: 0 };
  const [top, height] = [TOP, HEIGHT].map((at) => at + LEGEND_LINE * legend.lines);
  const xs = ticks(points.map(({ x }) => x));
  const ys = ticks([...points.flatMap(({ y, low = y, high = y }) => [y, low, high]), ...references.map(({ y }) => y)]);
  const x = scale(xs, MARGIN.left, WIDTH - MARGIN.right);
  const y = scale(ys, height - MARGIN.bottom, top);

  const grid = ys.map(
    (tick) =>
      `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(tick)}" y2="${y(tick)}" class="chart-grid"/>` +
      `<text x="${MARGIN.left - 6}" y="${y(tick) + 4}" text-anchor="end">${label(tick)}</text>`,
  );
  const xLabels = xs.map((tick) => {
    // A character is about six pixels wide. A label that would be cut at the right edge is aligned right instead of centred.
    const [at, anchor] = x(tick) + 3 * label(tick).length > WIDTH - 2 ? [WIDTH - 2, 'end'] : [x(tick), 'middle'];
    return `<text x="${at}" y="${height - MARGIN.bottom + 16}" text-anchor="${anchor}">${label(tick)}</text>`;
  });
  const rules = references.map(
    (reference) =>
      `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(reference.y)}" y2="${y(reference.y)}" class="chart-reference"/>` +
      `<text x="${WIDTH - MARGIN.right}" y="${y(reference.y) - 4}" text-anchor="end">${escapeHtml(reference.name)}</text>`,
  );
  const lines = series.map((one, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const pathOf = (corners: readonly { x: number; y: number }[]) =>
      corners.map((corner) => `${x(corner.x).toFixed(1)},${y(corner.y).toFixed(1)}`).join(' ');
    const edges = bandEdges(one);
    const band = edges.length > 0 ? `<polygon points="${pathOf(edges)}" fill="${colour}" fill-opacity=".15"/>` : '';
    const place = legend.places.at(i);
    const name = place
      ? `<text x="${place.x}" y="${place.y}" style="fill:${colour}">${escapeHtml(one.name)}</text>`
      : '';
    return `${band}<polyline points="${pathOf(one.points)}" fill="none" stroke="${colour}" stroke-width="1.6"/>${name}`;
  });
  return (
    `<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" xmlns="http://www.w3.org/2000/svg">` +
    `<style>text{font:11px system-ui,sans-serif;fill:#6b7280}.chart-title{font-weight:600;font-size:12px}.chart-grid{stroke:#9ca3af;stroke-opacity:.3}` +
    `.chart-reference{stroke:#6b7280;stroke-dasharray:4 3}</style>` +
    `<text x="${MARGIN.left}" y="16" class="chart-title">${escapeHtml(title)}</text>` +
    `<text x="${(MARGIN.left + WIDTH) / 2}" y="${height - 4}" text-anchor="middle">${escapeHtml(xLabel)}</text>` +
    [...grid, ...xLabels, ...rules, ...lines].join('') +
    '</svg>'
  );
}

/** Returns the position of each name in the legend, in as many lines as the names need. */
function legendPlaces(names: readonly string[]): { places: { x: number; y: number }[]; lines: number } {
  let [x, line] = [MARGIN.left, 0];
  const places = names.map((name) => {
    const width = CHARACTER * name.length;
    if (x > MARGIN.left && x + width > WIDTH - MARGIN.right) [x, line] = [MARGIN.left, line + 1];
    const place = { x, y: TOP + LEGEND_LINE * line };
    x += width + 2 * CHARACTER;
    return place;
  });
  return { places, lines: line + 1 };
}

/** Returns the outline of a line's band: along its upper edge and back along its lower edge; empty if the line has no band. */
function bandEdges({ points }: Series): { x: number; y: number }[] {
  if (!points.every(({ low, high }) => low !== undefined && high !== undefined)) return [];
  const upper = points.map(({ x, high }) => ({ x, y: high! }));
  return [...upper, ...points.map(({ x, low }) => ({ x, y: low! })).reverse()];
}

/** Returns round values for the ticks of an axis that span the data, in steps of 1, 2 or 5 times a power of ten. */
function ticks(values: readonly number[]): number[] {
  const [low, high] = [minimum(values), maximum(values)];
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => span / candidate <= 5)!;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

const scale = (domain: readonly number[], from: number, to: number) => (value: number) =>
  from + ((value - domain[0]) / (domain.at(-1)! - domain[0])) * (to - from);

const label = (value: number) => String(Number(value.toPrecision(6)));

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
}
