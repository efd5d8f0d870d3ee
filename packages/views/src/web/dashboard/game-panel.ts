// Draws a panel of the dashboard in which the user, or the agent that the run has trained, plays the run's environment turn by
// turn.
import { el, section } from '../dom.js';
import { figure } from '../format.js';
import { post } from './api.js';

interface GameView {
  game: string;
  policy: string;
  observation: string;
  action: { by: 'you' | 'policy'; text: string; reward: number } | null;
  validActions: string[];
  ended: string | null;
}

export function gamePanel(id: string): HTMLElement {
  const seed = el('input', { type: 'number', value: '0', min: '0', 'aria-label': 'seed', class: 'seed' });
  const log = el('div', { class: 'dialogue' });
  const said = el('p', { class: 'muted note', 'aria-live': 'polite' });
  const action = el('input', {
    type: 'search',
    placeholder: 'your action',
    'aria-label': 'your action',
    list: 'valid-actions',
  });
  const choices = el('datalist', { id: 'valid-actions' });
  const send = el('button', { class: 'quiet' }, 'Act');
  const policy = el('button', { type: 'button', class: 'quiet', onclick: () => void step(null) }, 'Let the policy act');
  const turns = el(
    'form',
    { class: 'toolbar', hidden: true, onsubmit: (event: Event) => (event.preventDefault(), void step(action.value)) },
    action,
    choices,
    send,
    policy,
  );
  let game: string | null = null;

  const guarded = async (work: () => Promise<GameView>) => {
    for (const button of [send, policy, begin]) button.disabled = true;
    try {
      show(await work());
    } catch (error) {
      said.textContent = (error as Error).message;
    } finally {
      for (const button of [send, policy, begin]) button.disabled = false;
    }
  };
  const start = () =>
    guarded(() => {
      said.textContent = 'loading the policy …';
      log.replaceChildren();
      return post<GameView>('/api/play', { id, seed: Number(seed.value) });
    });
  const step = (text: string | null) => guarded(() => post<GameView>('/api/play/step', { game, action: text }));
  const show = (view: GameView) => {
    game = view.game;
    if (view.action) log.append(actionView(view.action));
    if (view.observation.trim() !== '') log.append(bubble('observation', 'environment', view.observation));
    said.textContent = view.ended === null ? `Policy: ${view.policy}.` : `The episode is ${view.ended}.`;
    choices.replaceChildren(...view.validActions.map((value) => el('option', { value })));
    action.value = '';
    turns.hidden = view.ended !== null;
  };
  const begin = el('button', { type: 'button', class: 'quiet', onclick: () => void start() }, 'Begin an episode');
  const head = el('div', { class: 'toolbar' }, el('label', {}, 'seed ', seed), begin);
  return section('game', 'Play with the agent', head, log, turns, said);
}

const bubble = (kind: string, speaker: string, text: string): HTMLElement =>
  el('div', { class: kind }, el('span', { class: 'speaker' }, speaker), el('p', {}, text.replace(/^\n+|\n+$/g, '')));

const actionView = ({ by, text, reward }: NonNullable<GameView['action']>): HTMLElement =>
  bubble('action', `${by}, reward ${figure(reward)}`, text);
