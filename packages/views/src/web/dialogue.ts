// Draws an episode turn by turn: the texts, the values of the critic, and the probability of each token.
import type { Dialogue, EpisodeSummary, SampleAnswer, ShownTurn } from '../data.js';
import { callTreeView } from './call-tree.js';
import { heatMap, longText, speaker, values } from './dialogue-parts.js';
import { el, lazyDetails } from './dom.js';
import { figure, signed } from './format.js';

export function episodeTitle({ source, iteration, episode, policy, ...rest }: EpisodeSummary): string {
  const place = source === 'rollout' ? `episode ${episode}` : `${source} episode ${episode}`;
  const at = iteration > 0 ? `, iteration ${iteration}` : '';
  const outcome = rest.won === null ? '' : rest.won ? ', won' : ', not won';
  return `${place}${at}${policy === undefined ? '' : `, ${policy}`}: return ${figure(rest.return)}${outcome}`;
}

/** Returns a block with an episode, which the reader can open and close. */
export function foldedDialogue(dialogue: Dialogue, open = false): HTMLDetailsElement {
  const summary = el(
    'span',
    {},
    episodeTitle(dialogue),
    ...dialogue.reasons.map((reason) => el('span', { class: 'tag' }, reason)),
  );
  return lazyDetails(summary, () => dialogueView(dialogue), { class: 'episode', open, id: `episode-${dialogue.id}` });
}

export function dialogueView(dialogue: Dialogue): HTMLElement {
  const { turns, ending, item, tree } = dialogue;
  if (tree) return callTreeView(dialogue, tree);
  return el(
    'div',
    { class: 'dialogue' },
    item === null ? null : el('p', { class: 'muted note' }, `Played: ${item}`),
    el('ol', {}, ...turns.map((turn, i) => turnView(turn, i))),
    ending.trim() === '' ? null : el('div', { class: 'observation' }, speaker('environment'), longText(ending)),
  );
}

/** Returns a list of the fine-tuned model's answers beside the reference answers. */
export const answersView = (answers: readonly SampleAnswer[]): HTMLElement =>
  el(
    'div',
    { class: 'dialogue' },
    el('p', { class: 'muted note' }, 'The most probable answers of the saved model to items of the data.'),
    el(
      'ol',
      {},
      ...answers.map(({ prompt, reference, answer }) =>
        el(
          'li',
          {},
          el('div', { class: 'observation' }, speaker('prompt'), longText(prompt)),
          el('div', { class: 'observation' }, speaker('reference'), longText(reference)),
          el('div', { class: 'action' }, speaker('model'), longText(answer)),
        ),
      ),
    ),
  );

function turnView(turn: ShownTurn, index: number): HTMLElement {
  return el(
    'li',
    {},
    turn.observation.trim() === ''
      ? null
      : el('div', { class: 'observation' }, speaker('environment'), longText(turn.observation)),
    el(
      'div',
      { class: turn.invalid ? 'action invalid' : 'action' },
      speaker(`agent, turn ${index + 1}${turn.invalid ? ', not understood' : ''}`),
      turn.tokens === undefined ? el('p', {}, shownAction(turn.action)) : heatMap(turn.tokens),
    ),
    values(turn),
    preferences(turn),
    validActions(turn),
    examples(turn),
  );
}

const shownAction = (action: string) => (action.trim() === '' ? '(nothing)' : action.trim());

/** Returns the valid actions with the largest Q values; null if the agent chose the best of them or none are recorded. */
function preferences({ preferred, action, q }: ShownTurn): HTMLElement | null {
  if (preferred === undefined || preferred.length === 0) return null;
  const [best] = preferred;
  if (best.action.trim() === action.trim())
    return el('p', { class: 'note muted' }, 'The critic values no valid action higher.');
  const gap = q === undefined ? '' : `, ${signed(best.q - q)} against what was said`;
  return el(
    'div',
    { class: 'note' },
    el('span', {}, 'The critic would have preferred ', el('strong', {}, best.action), ` (Q ${figure(best.q)}${gap})`),
    preferred.length > 1
      ? el(
          'span',
          { class: 'muted' },
          `; then ${preferred
            .slice(1)
            .map((other) => `${other.action} (${figure(other.q)})`)
            .join(', ')}`,
        )
      : null,
  );
}

function validActions({ validActions: actions, action }: ShownTurn): HTMLElement | null {
  if (actions === undefined || actions.length === 0) return null;
  return lazyDetails(
    `${actions.length} valid actions`,
    () =>
      el(
        'ul',
        { class: 'actions' },
        ...actions.map((valid) => el('li', { class: valid.trim() === action.trim() ? 'chosen' : '' }, valid)),
      ),
    { class: 'note' },
  );
}

function examples({ retrieved }: ShownTurn): HTMLElement | null {
  if (retrieved === undefined) return null;
  const shown = retrieved.length === 0 ? 'nothing' : retrieved.join(', ');
  return el('div', { class: 'note muted' }, `Read from the memory: ${shown}`);
}

/** Draws episodes of the same item side by side, in the order of time, so that a change of the policy can be seen. */
export function sideBySide(title: string, dialogues: readonly Dialogue[]): HTMLElement {
  return lazyDetails(
    title,
    () =>
      el(
        'div',
        { class: 'sides', tabindex: 0 },
        ...dialogues.map((dialogue) =>
          el('article', {}, el('h4', {}, episodeTitle(dialogue)), dialogueView({ ...dialogue, item: null })),
        ),
      ),
    { class: 'episode' },
  );
}
