// Draws the dashboard's page of one run: the sections of its report, which are updated, with buttons that control the run, a
// search in its episodes, and a game.
import type { Dialogue, EpisodeSummary, RunData, RunSummary } from '../../data.js';
import { dialogueView, episodeTitle } from '../dialogue.js';
import { el, section } from '../dom.js';
import { factList } from '../parts.js';
import { runSections } from '../run-page.js';
import { get, post } from './api.js';
import { gamePanel } from './game-panel.js';
import type { View } from './view.js';

/**
 * The sections that are drawn again when the run's data change. Other sections stay, so that what the reader has opened in them
 * stays open.
 */
const FOLLOWING = ['warnings', 'results', 'curves'];
/** The sections of the report that the dashboard omits, since it lists all episodes and not only a selection. */
const LEFT_OUT = ['episodes'];

export async function runView(id: string, runs: readonly RunSummary[]): Promise<View> {
  const data = await get<RunData>('/api/run', { id });
  const summaryOf = (all: readonly RunSummary[]) => all.find((run) => run.id === id);
  const facts = el('div', {}, factList(data.facts));
  const sections = el('div', {}, ...sectionsOf(data));
  const controls = controlPanel(id);
  let changed = summaryOf(runs)?.changed;
  let updating = false;
  const update = async () => {
    updating = true;
    try {
      const next = await get<RunData>('/api/run', { id });
      facts.replaceChildren(factList(next.facts));
      renew(sections, next);
    } finally {
      updating = false;
    }
  };
  controls.show(summaryOf(runs));
  return {
    element: el(
      'div',
      {},
      el('h2', {}, `${id}: ${data.title}`),
      controls.element,
      facts,
      sections,
      episodePanel(id),
      gamePanel(id),
    ),
    onRuns(all) {
      const summary = summaryOf(all);
      controls.show(summary);
      if (updating || summary === undefined || summary.changed === changed) return;
      changed = summary.changed;
      void update();
    },
  };
}

const sectionsOf = (data: RunData): HTMLElement[] =>
  runSections(data).flatMap(({ id, element }) => (LEFT_OUT.includes(id) ? [] : [element]));

function renew(place: HTMLElement, data: RunData): void {
  const next = runSections(data).filter(({ id }) => FOLLOWING.includes(id));
  let before: Element | null = null;
  for (const { id, element } of next) {
    const old = [...place.children].find((child) => child.id === id);
    if (old) old.replaceWith(element);
    else if (before) before.after(element);
    else place.prepend(element);
    before = element;
  }
}

function controlPanel(id: string) {
  const said = el('p', { class: 'muted note', 'aria-live': 'polite' });
  const ask = async (action: string) => {
    try {
      await post('/api/control', { id, action });
      said.textContent = `Asked the run to ${action}; it does so after its current iteration.`;
    } catch (error) {
      said.textContent = (error as Error).message;
    }
  };
  const button = (action: string, text: string) =>
    el('button', { type: 'button', class: 'quiet', onclick: () => void ask(action) }, text);
  const [pause, resume, checkpoint] = [
    button('pause', 'Pause'),
    button('resume', 'Resume'),
    button('checkpoint', 'Write a checkpoint'),
  ];
  const stop = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      onclick: () => confirm('Stop this run? It writes a checkpoint and can be resumed.') && void ask('stop'),
    },
    'Stop',
  );
  const status = el('span', { class: 'status' });
  return {
    element: el('div', {}, el('div', { class: 'toolbar' }, status, pause, resume, checkpoint, stop), said),
    show(summary: RunSummary | undefined) {
      const isRunning = summary?.status === 'running';
      const paused = summary?.paused === true;
      status.textContent = paused ? 'paused' : (summary?.status ?? 'gone');
      status.className = `status ${(summary?.status ?? 'failed').replaceAll(' ', '-')}`;
      pause.hidden = paused;
      resume.hidden = !paused;
      for (const one of [pause, resume, checkpoint, stop]) one.disabled = !isRunning;
    },
  };
}

/** Returns a closed block for an episode, whose texts are fetched when the reader opens it. */
function foldedEpisode(id: string, summary: EpisodeSummary): HTMLElement {
  const details = el('details', { class: 'episode' }, el('summary', {}, episodeTitle(summary)));
  let asked = false;
  details.addEventListener('toggle', () => {
    if (asked || !details.open) return;
    asked = true;
    get<Dialogue>('/api/episode', { id, episode: summary.id }).then(
      (dialogue) => details.append(dialogueView(dialogue)),
      (error: Error) => details.append(el('p', { class: 'muted' }, error.message)),
    );
  });
  return details;
}

const SHOWN = 30;

function episodePanel(id: string): HTMLElement {
  const found = el('div', {});
  const count = el('p', { class: 'muted note', 'aria-live': 'polite' });
  const search = el('input', {
    type: 'search',
    placeholder: 'words in any episode',
    'aria-label': 'search in episodes',
  });
  const find = async () => {
    try {
      const answer = await get<{ episodes: EpisodeSummary[]; found: number }>('/api/episodes', {
        id,
        text: search.value,
      });
      const shown = answer.episodes.slice(0, SHOWN);
      count.textContent = `${answer.found} episodes${shown.length < answer.found ? `, the latest ${shown.length}` : ''}`;
      found.replaceChildren(...shown.map((summary) => foldedEpisode(id, summary)));
    } catch (error) {
      count.textContent = (error as Error).message;
    }
  };
  const form = el(
    'form',
    { class: 'toolbar', onsubmit: (event: Event) => (event.preventDefault(), void find()) },
    search,
    el('button', { class: 'quiet' }, 'Search'),
  );
  void find();
  return section('episodes', 'Episodes', form, count, found);
}
