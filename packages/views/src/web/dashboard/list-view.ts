// Draws the dashboard's list of all runs. It can be filtered and sorted, and several runs can be selected for a comparison.
import type { RunSummary } from '../../data.js';
import { el } from '../dom.js';
import { figure, moment } from '../format.js';
import { sortableList, type Column } from '../tables.js';
import { runAddress, type View } from './view.js';

const columns: Column<RunSummary>[] = [
  { name: 'run', value: ({ id }) => id, text: ({ id }) => id },
  { name: 'status', value: statusOf, text: statusOf },
  { name: 'seed', value: ({ seed }) => seed, text: ({ seed }) => figure(seed) },
  {
    name: 'iteration',
    value: ({ iteration }) => iteration,
    text: ({ iteration, iterations }) =>
      iteration === null ? '–' : iterations === null ? String(iteration) : `${iteration}/${iterations}`,
  },
  { name: 'return', value: (run) => run.return, text: (run) => figure(run.return) },
  { name: 'win rate', value: ({ winRate }) => winRate, text: ({ winRate }) => figure(winRate) },
  { name: 'what', value: ({ title }) => title, text: ({ title }) => title },
  { name: 'changed', value: ({ changed }) => changed, text: ({ changed }) => moment(changed) },
];

function statusOf({ status, paused }: RunSummary): string {
  return paused ? 'paused' : status;
}

/** Returns instructions for the case that the folder contains no runs. */
const whatToDo = (): HTMLElement =>
  el(
    'div',
    {},
    el('p', {}, 'This folder has no runs yet. A run that writes below it appears here by itself. Start one:'),
    el('pre', {}, 'bowyer --config-name archer_20q save_path=FOLDER/first'),
    el(
      'p',
      {},
      'FOLDER is the one that the dashboard was given as task.dir=FOLDER. To see runs that are elsewhere, start the dashboard with their folder.',
    ),
  );

export function listView(runs: readonly RunSummary[]): View {
  let all = [...runs];
  const filter = el('input', {
    type: 'search',
    placeholder: 'filter by folder, title or status',
    'aria-label': 'filter runs',
    oninput: () => show(),
  });
  const list = sortableList(all, {
    label: 'Runs',
    columns,
    pageSize: 50,
    onOpen: ({ id }) => (location.hash = runAddress(id)),
  });
  const boxes = el('div', { class: 'choices' });
  const compare = el('button', { type: 'button', class: 'quiet', onclick: () => open() }, 'Compare the chosen runs');
  const comparing = el('details', { class: 'episode' }, el('summary', {}, 'Compare runs'), boxes, compare);
  const empty = whatToDo();
  const chosen = new Set<string>();
  const count = el('p', { class: 'muted note', 'aria-live': 'polite' });
  const shown = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    return all.filter((run) => {
      const text = `${run.id} ${run.title} ${statusOf(run)} seed ${run.seed}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  };
  const open = () => (location.hash = `compare/${[...chosen].map(encodeURIComponent).join('&')}`);
  const box = ({ id }: RunSummary) => {
    const input = el('input', { type: 'checkbox', checked: chosen.has(id), onchange: () => toggle(id) });
    return el('label', {}, input, ` ${id}`);
  };
  const toggle = (id: string) => {
    if (!chosen.delete(id)) chosen.add(id);
    compare.disabled = chosen.size < 2;
  };
  const show = () => {
    const rows = shown();
    list.update(rows);
    boxes.replaceChildren(...rows.slice(0, 100).map(box));
    empty.hidden = all.length > 0;
    for (const part of [filter, count, list.element, comparing]) part.hidden = all.length === 0;
    count.textContent = `${rows.length} of ${all.length} runs, ${all.filter(({ status }) => status === 'running').length} running`;
  };
  compare.disabled = true;
  show();
  return {
    element: el('div', {}, empty, filter, count, list.element, comparing),
    onRuns(next) {
      all = [...next];
      show();
    },
  };
}
