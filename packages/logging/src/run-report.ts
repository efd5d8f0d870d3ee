// report.html: one self-contained page about a run: results, curves, sample dialogues, config. It opens offline.
import { escapeHtml, lineChart, type Series } from './line-chart.js';

export interface RunReport {
  title: string;
  /** Result table: header, then rows. */
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** Lines of metrics.jsonl. */
  metrics: readonly Record<string, number>[];
  /** What the metrics' `iteration` counts, below the curves; iterations if not given. */
  xLabel?: string;
  charts: readonly { title: string; keys: readonly string[]; references?: readonly { name: string; y: number }[] }[];
  dialogues: readonly { title: string; text: string }[];
  /** The run's config as YAML. */
  config: string;
}

export function renderReport(report: RunReport): string {
  const charts = report.charts.flatMap(({ title, keys, references }) => {
    const series = keys.map((key) => seriesOf(report.metrics, key)).filter(({ points }) => points.length > 1);
    return series.length > 0
      ? [`<figure>${lineChart(series, { title, xLabel: report.xLabel ?? 'iteration', references })}</figure>`]
      : [];
  });
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  const dialogues = report.dialogues.map(
    ({ title, text }) => `<article><h3>${escapeHtml(title)}</h3><pre>${escapeHtml(text)}</pre></article>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(report.title)}</title>
<style>
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{padding:.3rem .8rem;text-align:right;border-bottom:1px solid #9ca3af55}
td:first-child,th:first-child{text-align:left}
.grid{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0}svg{max-width:100%;height:auto}
article{flex:1 1 280px}pre{white-space:pre-wrap;background:#9ca3af22;padding:.8rem;border-radius:6px;font-size:13px}
</style>
<h1>${escapeHtml(report.title)}</h1>
<table>${cells('th', report.header)}${report.rows.map((row) => cells('td', row)).join('')}</table>
<h2>Curves</h2>
<div class="grid">${charts.join('')}</div>
${dialogues.length > 0 ? `<h2>Sample dialogues</h2>\n<div class="grid">${dialogues.join('')}</div>\n` : ''}<h2>Config</h2>
<details><summary>resolved config</summary><pre>${escapeHtml(report.config)}</pre></details>
</html>
`;
}

function seriesOf(metrics: readonly Record<string, number>[], key: string): Series {
  return {
    name: key,
    points: metrics.filter((line) => key in line).map((line) => ({ x: line.iteration, y: line[key] })),
  };
}
