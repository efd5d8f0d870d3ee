// Draws a game as a table of its questions.
import { made } from './dom.js';

export interface Turn {
  readonly action: string;
  readonly reply?: string;
  readonly q?: number;
  readonly v?: number;
  readonly advantage?: number;
}

export interface Game {
  readonly item: string;
  readonly iteration: number;
  readonly episodic_return: number;
  readonly turns: readonly Turn[];
}

function row(cells: readonly HTMLElement[]): HTMLTableRowElement {
  const line = made('tr', '');
  line.append(...cells);
  return line;
}

const number = (text: string, name: 'td' | 'th' = 'td'): HTMLElement => made(name, text, { className: 'number' });
const figure = (value: number | undefined): HTMLElement => number(value === undefined ? '–' : value.toFixed(1));

/** Returns the table of a game: questions, answers, and the critic's values if the algorithm has a critic. */
export function drawGame({ item, iteration, episodic_return: total, turns }: Game): HTMLElement {
  const hasCritic = turns.some(({ q }) => q !== undefined);
  const table = document.createElement('table');
  const caption = table.createCaption();
  caption.textContent = `${item}, iteration ${iteration}: return ${total}`;
  const titles = ['Question', 'Answer', ...(hasCritic ? ['Q', 'V', 'A'] : [])];
  table.createTHead().append(row(titles.map((title, i) => (i > 1 ? number(title, 'th') : made('th', title)))));
  const body = table.createTBody();
  for (const { action, reply, q, v, advantage } of turns)
    body.append(
      row([
        made('td', action),
        made('td', (reply ?? '').trim()),
        ...(hasCritic ? [figure(q), figure(v), figure(advantage)] : []),
      ]),
    );
  return table;
}
