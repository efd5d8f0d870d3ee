// Draws the tables of the pages: short tables, and long lists that can be sorted and searched.
import type { Table } from '../data.js';
import { el, lazyDetails } from './dom.js';
import { isFigure, withMinus } from './format.js';

/** Returns a table. If the window is narrow, the table scrolls within its own frame. */
export function table({ title, header, rows, notes = [] }: Table): HTMLElement {
  const classes = header.map((_, i) => (rows.every((row) => isFigure(row[i] ?? '–')) ? 'figure' : ''));
  const cell = (text: string, i: number) =>
    el('td', { 'data-label': header[i], class: classes[i] }, classes[i] === '' ? text : withMinus(text));
  return el(
    'div',
    { class: 'block' },
    // The title is a paragraph, since a <caption> would be only as wide as its table.
    el('p', { class: 'title' }, title),
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title },
      el(
        'table',
        { class: header.length > 4 && 'wide', 'aria-label': title },
        el('thead', {}, el('tr', {}, ...header.map((name, i) => el('th', { scope: 'col', class: classes[i] }, name)))),
        el(
          'tbody',
          {},
          ...rows.map((row) =>
            el('tr', {}, ...row.map((text, i) => (i === 0 ? el('th', { scope: 'row' }, text) : cell(text, i)))),
          ),
        ),
      ),
    ),
    ...notes.map((note) => el('p', { class: 'muted note' }, withMinus(note))),
  );
}

/** Returns a table, in a closed block if it contains only details. */
export const foldable = (given: Table): HTMLElement =>
  given.folded ? lazyDetails(`${given.title}, ${given.rows.length} rows`, () => table(given)) : table(given);

export interface Column<Row> {
  name: string;
  /** Returns the value by which the column sorts a row. Rows with null come last. */
  value: (row: Row) => number | string | null;
  text: (row: Row) => string;
}

interface ListOptions<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** The number of rows that are shown at first; a button shows more. */
  pageSize?: number;
  /** Called when the reader chooses a row; absent if rows cannot be chosen. */
  onOpen?: (row: Row) => void;
}

/** Creates a list of rows. A click on a column's name sorts it. */
export function sortableList<Row>(rows: readonly Row[], options: ListOptions<Row>) {
  const { label, columns, pageSize = 25, onOpen } = options;
  let shown = [...rows];
  let count = pageSize;
  let sorted: { column: number; descending: boolean } | null = null;
  const body = el('tbody');
  const classes = columns.map(({ value }) => (rows.some((row) => typeof value(row) === 'string') ? '' : 'figure'));
  const headers = columns.map(({ name }, i) =>
    el(
      'th',
      { scope: 'col', class: classes[i] },
      el('button', { type: 'button', class: 'sort', onclick: () => sortBy(i) }, name),
    ),
  );
  const more = el('button', { type: 'button', class: 'quiet', onclick: () => render((count += pageSize * 4)) });
  const rowElement = (row: Row) =>
    el(
      'tr',
      {},
      ...columns.map(({ text }, i) => {
        if (i > 0) return el('td', { 'data-label': columns[i].name, class: classes[i] }, text(row));
        const name = onOpen
          ? el('button', { type: 'button', class: 'link', onclick: () => onOpen(row) }, text(row))
          : text(row);
        return el('th', { scope: 'row' }, name);
      }),
    );
  const render = (_?: unknown) => {
    body.replaceChildren(...shown.slice(0, count).map(rowElement));
    more.hidden = shown.length <= count;
    more.textContent = `Show more (${shown.length - count} left)`;
  };
  const sortBy = (column: number) => {
    const descending = sorted?.column === column ? !sorted.descending : true;
    sorted = { column, descending };
    headers.forEach((th, i) =>
      i === column
        ? th.setAttribute('aria-sort', descending ? 'descending' : 'ascending')
        : th.removeAttribute('aria-sort'),
    );
    sort();
    render();
  };
  const sort = () => {
    if (sorted === null) return;
    const { column, descending } = sorted;
    const { value } = columns[column];
    shown.sort((a, b) => ordered(value(a), value(b), descending));
  };
  render();
  return {
    element: el(
      'div',
      {},
      el(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
        el('table', { class: 'list' }, el('thead', {}, el('tr', {}, ...headers)), body),
      ),
      more,
    ),
    /** Shows other rows in the order that the reader has chosen. */
    update(next: readonly Row[]) {
      shown = [...next];
      count = pageSize;
      sort();
      render();
    },
  };
}

function ordered(a: number | string | null, b: number | string | null, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = a < b ? -1 : a > b ? 1 : 0;
  return descending ? -order : order;
}
