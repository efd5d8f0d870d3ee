// Draws the page that compares runs: which setting is better, by how much, and how certain this is.
import type { BandChart, ComparisonData } from '../data.js';
import { chart, type ChartInput } from './chart.js';
import { sideBySide } from './dialogue.js';
import { el, section } from './dom.js';
import { withMinus } from './format.js';
import { factList, head, noteList, warningList } from './parts.js';
import { foldable } from './tables.js';

export function comparisonPage(data: ComparisonData): HTMLElement {
  const { title, facts, verdicts, warnings, tables, charts, pairs, notes } = data;
  return el(
    'main',
    {},
    head(title),
    factList(facts),
    noteList(notes),
    verdicts.length === 0
      ? null
      : section(
          'answer',
          'Which is better',
          el('ul', { class: 'verdicts' }, ...verdicts.map((verdict) => el('li', {}, withMinus(verdict)))),
        ),
    warnings.length === 0 ? null : section('warnings', 'Warnings', warningList(warnings)),
    section('results', 'Results', ...tables.map(foldable)),
    charts.length === 0
      ? null
      : section('curves', 'Curves', el('div', { class: 'charts' }, ...charts.map((one) => chart(bandChart(one))))),
    pairs.length === 0
      ? null
      : section('episodes', 'The same episode of both', ...pairs.map((pair) => sideBySide(pair.title, pair.sides))),
  );
}

/** Returns a chart with one line per setting. A setting with several seeds has a band. */
export function bandChart({ series, ...rest }: BandChart): ChartInput {
  return {
    ...rest,
    lines: series.map(({ setting, x, mean, low, high }) => ({
      name: setting,
      x,
      y: mean,
      ...(low.some((value) => value !== null) && { low, high }),
    })),
  };
}
