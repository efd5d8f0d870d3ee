import type { ChartSpec, Dialogue, EpisodeSummary, MetricTable, RunData } from '../data.js';
import { chart, type ChartInput } from './chart.js';
import { answersView, foldedDialogue, sideBySide } from './dialogue.js';
import { el, lazyDetails, section } from './dom.js';
import { figure } from './format.js';
import { factList, head, noteList, warningList } from './parts.js';
import { foldable, sortableList, type Column } from './tables.js';

export function runPage(data: RunData): HTMLElement {
  return el(
    'main',
    {},
    head(data.title, data.status),
    factList(data.facts),
    noteList(data.notes),
    ...runSections(data).map(({ element }) => element),
  );
}

interface RunSection {
  id: string;
  title: string;
  element: HTMLElement;
}

/** Returns the sections of a run's page that have content, in the order of the page. */
export function runSections(data: RunData): RunSection[] {
  const sections: [id: string, title: string, content: Node | null][] = [
    ['warnings', 'Warnings', warningList(data.warnings)],
    ['results', 'Results', data.tables.length > 0 ? el('div', {}, ...data.tables.map(foldable)) : null],
    ['audit', 'Reward audit', data.audit && data.audit.length > 0 ? el('div', {}, ...data.audit.map(foldable)) : null],
    ['answers', 'Answers', data.answers && data.answers.length > 0 ? answersView(data.answers) : null],
    ['curves', 'Curves', curves(data)],
    ['episodes', 'Episodes', data.dialogues.length > 0 ? episodes(data) : null],
    ['changes', 'The same episode at different times', changes(data.dialogues)],
    ['config', 'Config', configView(data.config)],
  ];
  return sections.flatMap(([id, title, content]) =>
    content === null ? [] : [{ id, title, element: section(id, title, content) }],
  );
}

/** Null if the run has none of the metrics. */
export function metricChart(metrics: MetricTable, spec: ChartSpec): ChartInput | null {
  const lines = spec.keys.flatMap((key) => {
    const series = metrics.series.find((candidate) => candidate.key === key);
    if (series === undefined || series.values.length < 2) return [];
    const { low, high, axis, values } = series;
    return [{ name: key, x: metrics.axes[axis], y: values, ...(low && high && { low, high }) }];
  });
  return lines.length === 0 ? null : { xLabel: metrics.xLabel, ...spec, lines };
}

function curves({ metrics, charts }: RunData): HTMLElement | null {
  if (metrics.series.length === 0) return null;
  const shown = charts.flatMap((spec) => metricChart(metrics, spec) ?? []);
  const total = metrics.rows;
  const points = metrics.axes.reduce((most, { length }) => Math.max(most, length), 0);
  return el(
    'div',
    {},
    shown.length === 0
      ? el('p', { class: 'muted' }, 'One row of metrics so far: no curve.')
      : el('div', { class: 'charts' }, ...shown.map(chart)),
    points < total
      ? el(
          'p',
          { class: 'muted note' },
          `${total} rows in metrics.jsonl; a point is the mean of a bucket of rows, the band spans its smallest and largest.`,
        )
      : null,
    lazyDetails(`All ${metrics.series.length} metrics`, () => metricPicker(metrics)),
  );
}

function metricPicker(metrics: MetricTable): HTMLElement {
  const place = el('div', { class: 'charts' });
  const columns: Column<MetricTable['series'][number]>[] = [
    { name: 'metric', value: ({ key }) => key, text: ({ key }) => key },
    { name: 'first', value: ({ values }) => values[0], text: ({ values }) => figure(values[0]) },
    { name: 'last', value: ({ values }) => values.at(-1)!, text: ({ values }) => figure(values.at(-1)) },
  ];
  const list = sortableList(metrics.series, {
    label: 'All metrics',
    columns,
    pageSize: 12,
    onOpen: ({ key }) => {
      const input = metricChart(metrics, { title: key, keys: [key] });
      place.replaceChildren(input === null ? el('p', {}, `${key} has one figure only.`) : chart(input));
    },
  });
  const search = el('input', {
    type: 'search',
    placeholder: 'find a metric',
    'aria-label': 'find a metric',
    oninput: () => list.update(metrics.series.filter(({ key }) => key.includes(search.value))),
  });
  return el('div', {}, search, list.element, place);
}

const episodeColumns: Column<EpisodeSummary>[] = [
  { name: 'episode', value: ({ episode }) => episode, text: ({ id }) => id },
  {
    name: 'iteration',
    value: ({ iteration }) => iteration,
    text: ({ iteration }) => (iteration > 0 ? String(iteration) : '–'),
  },
  { name: 'return', value: (row) => row.return, text: (row) => figure(row.return) },
  { name: 'turns', value: ({ turnCount }) => turnCount, text: ({ turnCount }) => String(turnCount) },
  {
    name: 'won',
    value: ({ won }) => (won === null ? null : Number(won)),
    text: ({ won }) => (won === null ? '–' : won ? 'yes' : 'no'),
  },
  { name: 'largest |TD|', value: ({ surprise }) => surprise, text: ({ surprise }) => figure(surprise) },
  { name: 'played', value: ({ item }) => item, text: ({ item }) => item ?? '–' },
];

function episodes({ dialogues: all, episodes: list, episodeCount }: RunData): HTMLElement {
  // Episodes that were selected only to show a change over time are left out here, since they are drawn side by side below.
  const dialogues = all.filter(({ reasons }) => reasons.some((reason) => reason !== 'over time'));
  const first = dialogues.find(({ reasons }) => reasons.includes('most surprising')) ?? dialogues[0];
  const folded = new Map(dialogues.map((dialogue) => [dialogue.id, foldedDialogue(dialogue, dialogue === first)]));
  const search = el('input', {
    type: 'search',
    placeholder: 'find words in these episodes',
    'aria-label': 'find words in these episodes',
    oninput: () => {
      const words = search.value.toLowerCase();
      for (const dialogue of dialogues) folded.get(dialogue.id)!.hidden = !textOf(dialogue).includes(words);
    },
  });
  const whole = new Set(folded.keys());
  const open = ({ id }: EpisodeSummary) => {
    const details = folded.get(id);
    if (details === undefined) return;
    details.hidden = false;
    details.open = true;
    details.scrollIntoView({ block: 'start' });
    details.querySelector('summary')!.focus();
  };
  const shown = list.filter(({ id }) => whole.has(id));
  return el(
    'div',
    {},
    el(
      'p',
      { class: 'muted note' },
      `${all.length} of ${episodeCount} episodes are in this page whole. A token’s colour says how improbable it was: from p = 1 (none) to p < 1 % (full).`,
    ),
    search,
    ...folded.values(),
    lazyDetails(
      list.length < episodeCount
        ? `List of ${list.length} of ${episodeCount} episodes`
        : `List of all ${list.length} episodes`,
      () => {
        const everything = sortableList(list, { label: 'Episodes', columns: episodeColumns });
        const readable = sortableList(shown, { label: 'Episodes in this page', columns: episodeColumns, onOpen: open });
        return el('div', {}, el('h3', {}, 'In this page'), readable.element, el('h3', {}, 'All'), everything.element);
      },
    ),
  );
}

const texts = new WeakMap<Dialogue, string>();

/** Returns all texts of an episode in lower case, for the search. */
function textOf(dialogue: Dialogue): string {
  const known = texts.get(dialogue);
  if (known !== undefined) return known;
  const { turns, ending, item, tree } = dialogue;
  const called = tree?.calls.flatMap(({ read, tools }) => [
    ...read.map(({ text }) => text),
    ...tools.map((tool) => `${tool.name} ${tool.arguments}`),
  ]);
  const said = turns.flatMap(({ observation, action }) => [observation, action]);
  const text = [item ?? '', ...said, ...(called ?? []), ending];
  const joined = text.join('\n').toLowerCase();
  texts.set(dialogue, joined);
  return joined;
}

/** Draws the episodes of each item that was played several times side by side, oldest first; null if there is no such item. */
function changes(dialogues: readonly Dialogue[]): HTMLElement | null {
  const groups = new Map<string, Dialogue[]>();
  for (const dialogue of dialogues) {
    if (!dialogue.reasons.includes('over time')) continue;
    const key = `${dialogue.source} episode ${dialogue.episode}${dialogue.item === null ? '' : `: ${dialogue.item}`}`;
    groups.set(key, [...(groups.get(key) ?? []), dialogue]);
  }
  const several = [...groups].filter(([, members]) => members.length > 1);
  if (several.length === 0) return null;
  return el(
    'div',
    {},
    ...several.map(([key, members]) =>
      sideBySide(
        key,
        [...members].sort((a, b) => a.iteration - b.iteration),
      ),
    ),
  );
}

const configView = (config: string): HTMLElement =>
  el(
    'div',
    {},
    lazyDetails('The run’s config, resolved', () => el('pre', { tabindex: 0 }, config)),
  );
