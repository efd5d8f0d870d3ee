// Draws the elements that the views of episodes and of agents' rollouts share: texts, the values of an utterance (an agent's
// text), and its tokens.
import type { TokenText, ShownTurn } from '../data.js';
import { el, lazyDetails } from './dom.js';
import { figure, signed } from './format.js';

/** The number of characters above which a text of the environment is shown only when the reader opens it. */
const LONG_TEXT = 700;
/** The surprisal in nats from which a token has the darkest colour (a probability of 1/150). */
const SURPRISING = 5;
const SHADES = 6;
export const speaker = (name: string) => el('span', { class: 'speaker' }, name);

export function longText(text: string): HTMLElement {
  const trimmed = text.replace(/^\n+|\n+$/g, '');
  if (trimmed.length <= LONG_TEXT) return el('p', {}, trimmed);
  return el(
    'div',
    {},
    el('p', {}, `${trimmed.slice(0, LONG_TEXT / 2)} …`),
    lazyDetails(`whole text (${trimmed.length} characters)`, () => el('p', {}, trimmed)),
  );
}
const FIGURES: readonly [key: keyof ShownTurn & string, symbol: string, meaning: string][] = [
  ['reward', 'reward', 'what the environment gave for the turn'],
  ['q', 'Q', 'what the critic expects after this utterance: the smaller of its two values'],
  ['v', 'V', 'what the critic expects before it'],
  ['advantage', 'A', 'advantage: how much better the utterance is than the policy’s average'],
  ['tdError', 'TD', 'temporal-difference error: the observed value less the one that the critic expected'],
  ['logprob', 'log p', 'log-probability of the whole utterance under the policy that played, in nats'],
  [
    'surprisal',
    '−log p/token',
    'surprisal: −log p per token of what was said, in nats; its mean over many utterances is the policy’s entropy',
  ],
];

export function values(turn: ShownTurn): HTMLElement {
  const known = FIGURES.filter(([key]) => typeof turn[key] === 'number');
  return el(
    'dl',
    { class: 'values' },
    ...known.map(([key, symbol, meaning]) => {
      const value = turn[key] as number;
      const isSigned = key === 'advantage' || key === 'tdError';
      return el(
        'div',
        { class: isSigned ? (value < 0 ? 'negative' : 'positive') : '' },
        el('dt', { title: meaning }, el('abbr', { title: meaning }, symbol)),
        el('dd', {}, isSigned ? signed(value) : figure(value)),
      );
    }),
  );
}

/** Returns the tokens of an utterance with background colours: the less probable a token was, the darker. */
export function heatMap(tokens: readonly TokenText[]): HTMLElement {
  const shade = (logprob: number) => Math.min(SHADES - 1, Math.round((-logprob / SURPRISING) * (SHADES - 1)));
  return el(
    'p',
    { class: 'heat' },
    ...tokens.map(({ text, logprob }) =>
      el(
        'span',
        {
          class: `shade-${Math.max(0, shade(logprob))}`,
          title: `log p ${figure(logprob)}, p ${figure(Math.exp(logprob))}`,
        },
        text.replaceAll('\n', '⏎'),
      ),
    ),
    ' ',
    lazyDetails('tokens', () => tokenTable(tokens), { class: 'inline' }),
  );
}

function tokenTable(tokens: readonly TokenText[]): HTMLElement {
  return el(
    'table',
    { class: 'tokens' },
    el('thead', {}, el('tr', {}, ...['token', 'log p (nats)', 'p'].map((name) => el('th', { scope: 'col' }, name)))),
    el(
      'tbody',
      {},
      ...tokens.map(({ text, logprob }) =>
        el(
          'tr',
          {},
          el('th', { scope: 'row' }, JSON.stringify(text)),
          el('td', {}, figure(logprob)),
          el('td', {}, figure(Math.exp(logprob))),
        ),
      ),
    ),
  );
}
