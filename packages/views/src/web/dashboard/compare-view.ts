// Draws the dashboard's comparison of several runs: their curves in the same charts, and their last values side by side.
import type { RunData, Table } from '../../data.js';
import { chart, type ChartInput } from '../chart.js';
import { el } from '../dom.js';
import { figure } from '../format.js';
import { table } from '../tables.js';
import { get } from './api.js';
import type { View } from './view.js';

/** The charts of the comparison. Each draws, for every run, the first of its metrics that the run has. */
const charts = [
  { title: 'Mean return', keys: ['eval/episodic_return', 'rollout/episodic_return'] },
  { title: 'Return in training', keys: ['rollout/episodic_return'] },
  { title: 'Win rate', keys: ['eval/win_rate', 'rollout/win_rate'] },
  { title: 'Policy loss', keys: ['losses/policy', 'losses/nll'] },
  { title: 'Critic loss', keys: ['losses/q1', 'losses/v1', 'losses/value'] },
  { title: 'Entropy of an utterance', keys: ['rollout/utterance_entropy'], unit: 'nats' },
];

interface Named {
  id: string;
  data: RunData;
}

export async function compareView(ids: readonly string[]): Promise<View> {
  const runs = await Promise.all(ids.map(async (id) => ({ id, data: await get<RunData>('/api/run', { id }) })));
  const inputs = charts.flatMap((spec) => overlay(spec, runs) ?? []);
  return {
    element: el(
      'div',
      {},
      el('h2', {}, `Comparison of ${ids.length} runs`),
      table(figures(runs)),
      table(differences(runs)),
      el('div', { class: 'charts' }, ...inputs.map(chart)),
    ),
    onRuns: () => undefined,
  };
}

function overlay({ title, keys, unit }: (typeof charts)[number], runs: readonly Named[]): ChartInput | null {
  const lines = runs.flatMap(({ id, data: { metrics } }) => {
    const series = keys.flatMap(
      (key) => metrics.series.find((one) => one.key === key && one.values.length > 1) ?? [],
    )[0];
    return series === undefined ? [] : [{ name: id, x: metrics.axes[series.axis], y: series.values }];
  });
  const xLabel = runs[0].data.metrics.xLabel;
  return lines.length === 0 ? null : { title, xLabel, lines, ...(unit && { unit }) };
}

function figures(runs: readonly Named[]): Table {
  const keys = ['eval/episodic_return', 'eval/win_rate', 'rollout/episodic_return', 'rollout/win_rate'];
  const last = ({ metrics }: RunData, key: string) => metrics.series.find((one) => one.key === key)?.values.at(-1);
  return {
    title: 'Last figures',
    header: ['run', 'status', 'rows', ...keys],
    rows: runs.map(({ id, data }) => [
      id,
      data.status,
      String(data.metrics.rows),
      ...keys.map((key) => figure(last(data, key))),
    ]),
  };
}

function differences(runs: readonly Named[]): Table {
  const configs = runs.map(({ data }) => flatYaml(data.config));
  const keys = [...new Set(configs.flatMap((config) => [...config.keys()]))];
  const differing = keys.filter(
    (key) => key !== 'save_path' && new Set(configs.map((config) => config.get(key))).size > 1,
  );
  return {
    title: 'Differences of their configs',
    header: ['key', ...runs.map(({ id }) => id)],
    rows: differing.map((key) => [key, ...configs.map((config) => config.get(key) ?? '–')]),
  };
}

/** Returns the values of a config in YAML by path. Lists and multi-line texts are skipped. */
function flatYaml(text: string): Map<string, string> {
  const values = new Map<string, string>();
  const path: { indent: number; key: string }[] = [];
  for (const line of text.split('\n')) {
    const [, spaces, key, value] = /^( *)([\w.-]+):(?: (.*))?$/.exec(line) ?? [];
    if (key === undefined) continue;
    while (path.length > 0 && path.at(-1)!.indent >= spaces.length) path.pop();
    path.push({ indent: spaces.length, key });
    if (value) values.set(path.map((part) => part.key).join('.'), value);
  }
  return values;
}
