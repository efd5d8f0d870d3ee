// Draws a game as a table of its questions.

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

function cell(name: 'td' | 'th', text: string, isNumber = false): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  if (isNumber) made.className = 'number';
  return made;
}

function row(cells: readonly HTMLElement[]): HTMLTableRowElement {
  const made = document.createElement('tr');
  made.append(...cells);
  return made;
}

const number = (value: number | undefined): HTMLElement =>
  cell('td', value === undefined ? '–' : value.toFixed(1), true);

/** Returns the table of a game: questions, answers, and the critic's values if the algorithm has a critic. */
export function drawGame({ item, iteration, episodic_return: total, turns }: Game): HTMLElement {
  const hasCritic = turns.some(({ q }) => q !== undefined);
  const table = document.createElement('table');
  const caption = table.createCaption();
  caption.textContent = `${item}, iteration ${iteration}: return ${total}`;
  const titles = ['Question', 'Answer', ...(hasCritic ? ['Q', 'V', 'A'] : [])];
  table.createTHead().append(row(titles.map((title, i) => cell('th', title, i > 1))));
  const body = table.createTBody();
  for (const { action, reply, q, v, advantage } of turns)
    body.append(
      row([
        cell('td', action),
        cell('td', (reply ?? '').trim()),
        ...(hasCritic ? [number(q), number(v), number(advantage)] : []),
      ]),
    );
  return table;
}
