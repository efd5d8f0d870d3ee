// Draws the elements that reports and comparisons of runs share: header, facts, warnings, notes.
import type { Fact, RunStatus, Warning } from '../data.js';
import { el } from './dom.js';
import { withMinus } from './format.js';
import { themeButton } from './theme.js';

export function head(title: string, status?: RunStatus): HTMLElement {
  const badge = status === undefined ? null : el('span', { class: `status ${status.replaceAll(' ', '-')}` }, status);
  return el('header', {}, el('h1', {}, title, ' ', badge), themeButton());
}

export const factList = (facts: readonly Fact[]): HTMLElement =>
  el(
    'dl',
    { class: 'facts' },
    ...facts.map(({ label, value }) =>
      el('div', { class: value.length > 40 && 'wide' }, el('dt', {}, label), el('dd', {}, value)),
    ),
  );

export function warningList(warnings: readonly Warning[]): HTMLElement | null {
  if (warnings.length === 0) return null;
  return el(
    'ul',
    { class: 'warnings' },
    ...warnings.map(({ level, title, text }) =>
      el(
        'li',
        { class: level },
        el('strong', {}, `${level === 'bad' ? '✖' : '⚠'} ${title}`),
        el('p', {}, withMinus(text)),
      ),
    ),
  );
}

export const noteList = (notes: readonly string[]): HTMLElement | null =>
  notes.length === 0 ? null : el('ul', { class: 'notes' }, ...notes.map((note) => el('li', {}, note)));
