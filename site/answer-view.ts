// Draws an answer as tokens, each with a list of the most likely tokens at its position.
import { made } from './dom.js';
import type { Token } from './served-model.js';

const percent = (logprob: number): string => `${(100 * Math.exp(logprob)).toFixed(1)} %`;

/** Shows a token's spaces and line breaks. */
const visible = (token: string): string => token.replaceAll(' ', '␣').replaceAll('\n', '⏎');

/** Returns a table of the most likely tokens at one position. */
function alternatives({ token, logprob, top_logprobs: top }: Token): HTMLElement {
  const table = document.createElement('table');
  table.createCaption().textContent = `${visible(token)}: ${percent(logprob)}; the most likely tokens here:`;
  for (const other of top) {
    const row = table.insertRow();
    row.append(made('td', visible(other.token)), made('td', percent(other.logprob), { className: 'number' }));
  }
  return table;
}

/** The view of an answer: pointing at a token, or the arrow keys, show the other likely tokens. */
export class AnswerView {
  readonly element = made('div', '', { className: 'tokens' });

  /** @param shown element for the likely tokens */
  constructor(private readonly shown: HTMLElement) {
    this.element.setAttribute('role', 'toolbar');
    this.element.setAttribute('aria-label', 'Answer: arrow keys go from token to token');
    this.element.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const tokens = [...this.element.children] as HTMLElement[];
      tokens[tokens.indexOf(document.activeElement as HTMLElement) + step]?.focus();
    });
  }

  add(tokens: readonly Token[]): void {
    for (const token of tokens) {
      const tabIndex = this.element.childElementCount === 0 ? 0 : -1; // the Tab key stops only once for all tokens
      const button = made('button', token.token, { type: 'button', tabIndex, ariaLabel: visible(token.token) });
      const show = (): void => this.shown.replaceChildren(alternatives(token));
      button.addEventListener('focus', () => {
        for (const other of this.element.children) (other as HTMLElement).tabIndex = -1;
        button.tabIndex = 0;
        show();
      });
      button.addEventListener('pointerenter', show);
      this.element.append(button);
    }
  }
}
