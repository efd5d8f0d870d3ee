// Starts the dashboard in the browser. The fragment of the page's address selects the view: one run (`#run/ID`), a comparison
// (`#compare/ID&ID`), or, without a fragment, the list of all runs.
import type { RunSummary } from '../../data.js';
import { followRuns, get, takeToken } from '../dashboard/api.js';
import { compareView } from '../dashboard/compare-view.js';
import { listView } from '../dashboard/list-view.js';
import { runView } from '../dashboard/run-view.js';
import type { View } from '../dashboard/view.js';
import { el } from '../dom.js';
import { themeButton } from '../theme.js';

takeToken();
const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
const place = el('div', {});
const home = el('a', { href: '#' }, 'All runs');
document.body.append(
  el('main', {}, el('header', {}, el('h1', {}, 'Runs'), themeButton()), el('nav', {}, home), problem, place),
);

let runs: RunSummary[] = [];
let view: View | null = null;
let shown = 0;

function say(text: string | null): void {
  problem.hidden = text === null;
  problem.textContent = text ?? '';
}

async function viewOf(hash: string): Promise<View> {
  const [kind, rest = ''] = [hash.split('/')[0], hash.slice(hash.indexOf('/') + 1)];
  if (kind === 'run') return runView(decodeURIComponent(rest), runs);
  if (kind === 'compare') return compareView(rest.split('&').map(decodeURIComponent));
  return listView(runs);
}

async function show(): Promise<void> {
  const turn = ++shown;
  const hash = location.hash.slice(1);
  home.hidden = hash === '';
  try {
    const next = await viewOf(hash);
    if (turn !== shown) return;
    view = next;
    place.replaceChildren(next.element);
    say(null);
  } catch (error) {
    say((error as Error).message);
  }
}

addEventListener('hashchange', () => void show());
const update = (next: RunSummary[]) => view?.onRuns((runs = next));
async function begin(): Promise<void> {
  try {
    runs = await get<RunSummary[]>('/api/runs');
  } catch (error) {
    return say((error as Error).message);
  }
  await show();
  await followRuns(update, say);
}

void begin();
