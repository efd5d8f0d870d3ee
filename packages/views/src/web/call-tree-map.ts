// Draws the tree of model calls in an agent's rollout: calls are in the order of time from left to right, and each branch has its
// own row.
import type { CallTree, Dialogue, TreeCall } from '../data.js';
import { svg } from './dom.js';
import { figure, signed } from './format.js';

const STEP = 46;
const LANE = 42;
const RADIUS = 13;

/**
 * Returns the number of the row in which each answer is drawn. The first continuation of an answer stays in the answer's row.
 * Every other continuation begins a new row below, and so does a prompt that continues no answer.
 */
export function lanesOf(calls: readonly TreeCall[]): number[] {
  const lanes: number[] = [];
  const continued = new Set<number>();
  let count = 0;
  for (const { parent } of calls) {
    const isFirst = parent !== null && !continued.has(parent);
    if (isFirst) continued.add(parent);
    lanes.push(isFirst ? lanes[parent] : count++);
  }
  return lanes;
}

/** @param idOf returns the HTML id of the card to which an answer links */
export function treeMap({ calls }: CallTree, { turns }: Dialogue, idOf: (index: number) => string): SVGSVGElement {
  const lanes = lanesOf(calls);
  // Several answers to one call are in the same column, one below the other.
  const columns = new Map([...new Set(calls.map(({ call }) => call))].map((call, column) => [call, column]));
  const place = (index: number) => ({
    x: RADIUS + 4 + STEP * columns.get(calls[index].call)!,
    y: RADIUS + 4 + LANE * lanes[index],
  });
  const width = 2 * (RADIUS + 4) + STEP * (columns.size - 1);
  const height = 2 * (RADIUS + 4) + LANE * lanes.reduce((most, lane) => Math.max(most, lane), 0);
  const lines = calls.flatMap(({ parent }, index) =>
    parent === null ? [] : [svg('path', { d: curve(place(parent), place(index)) })],
  );
  const nodes = calls.map((call, index) => {
    const { x, y } = place(index);
    const advantage = call.turn === undefined ? undefined : turns[call.turn]?.advantage;
    return svg(
      'a',
      { href: `#${idOf(index)}`, class: nodeClass(call, advantage), 'aria-label': titleOf(call, advantage) },
      svg('title', {}, titleOf(call, advantage)),
      shape(call, x, y),
      svg('text', { x, y: y + 4, 'text-anchor': 'middle' }, String(call.call)),
    );
  });
  const label = `${calls.length} answers of the model in ${new Set(lanes).size} branches`;
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return svg('svg', { ...size, role: 'group', 'aria-label': label, class: 'tree' }, ...lines, ...nodes);
}

interface Place {
  x: number;
  y: number;
}

/** Goes down from the earlier answer and then along the row of the later one. */
const curve = (from: Place, to: Place): string =>
  from.y === to.y
    ? `M${from.x} ${from.y}H${to.x}`
    : `M${from.x} ${from.y}V${to.y - RADIUS}Q${from.x} ${to.y} ${from.x + RADIUS} ${to.y}H${to.x}`;

/** Draws an answer of the model: a square if it calls tools, else a circle. */
function shape({ tools }: TreeCall, x: number, y: number): SVGElement {
  if (tools.length === 0) return svg('circle', { cx: x, cy: y, r: RADIUS });
  return svg('rect', { x: x - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS, rx: 4 });
}

function nodeClass({ turn, tools }: TreeCall, advantage: number | undefined): string {
  const sign = advantage === undefined || advantage === 0 ? '' : advantage > 0 ? 'better' : 'worse';
  return ['call', turn === undefined && 'unlearned', tools.some(({ failed }) => failed) && 'failed', sign]
    .filter(Boolean)
    .join(' ');
}

function titleOf({ call, tools, said, answerTokens, marks }: TreeCall, advantage: number | undefined): string {
  const what = tools.length > 0 ? tools.map(({ name }) => name).join(', ') : said.trim().slice(0, 60);
  const worth = advantage === undefined ? [] : [`advantage ${signed(advantage)}`];
  return [`call ${call}: ${what}`, `${figure(answerTokens)} tokens`, ...worth, ...marks].join(', ');
}
