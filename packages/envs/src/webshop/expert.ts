// A scripted shopper that reads nothing but the instruction and the pages that it is shown.
import type { WebShopInfo } from './webshop.js';

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** What is wanted, without the choices and the price that end an instruction. */
const wanted = (instruction: string): string =>
  instruction
    .replace(/, and (?:i prefer|price lower than)[^]*$/, '')
    .replace(/^(?:i need|i am looking for|find me|i would like to buy) /, '');

const cap = (instruction: string): number =>
  Number(/price lower than ([\d.]+) dollars/.exec(instruction)?.[1] ?? Infinity);

/** The next action of ArCHer's text client; `info.text` is the page that it answers. */
export class Shopper {
  #chosen = new Set<string>();

  /** @param info of the reset or of the last step */
  act({ text, instruction, availableActions: { hasSearchBar, clickables } }: WebShopInfo): string {
    if (hasSearchBar) {
      this.#chosen.clear();
      return `search[${wanted(instruction)}]`;
    }
    if (!clickables.includes('buy now')) return this.#pick(text, instruction);
    const preferred = instruction.slice(instruction.indexOf(', and i prefer'));
    const options = clickables.slice(clickables.indexOf('buy now') + 1);
    const asked = options
      .filter((value) => preferred.includes(` ${value},`) || preferred.endsWith(` ${value}`))
      .find((value) => !this.#chosen.has(value));
    if (asked === undefined) return 'click[Buy Now]';
    this.#chosen.add(asked);
    return `click[${asked}]`;
  }

  /** The shown product whose title has most of the wanted words, of those that may be cheap enough. */
  #pick(page: string, instruction: string): string {
    const words = new Set(wordsOf(wanted(instruction)));
    const shown = [...page.matchAll(/\[(B[0-9A-Z]{9})\] \n(.*) \n\$([\d.]+)/g)].map(([, asin, title, price]) => {
      const overlap = new Set(wordsOf(title).filter((word) => words.has(word))).size;
      return { asin, fit: overlap - (Number(price) > cap(instruction) ? words.size : 0) };
    });
    // The first of equals: search has ranked them.
    const best = shown.reduce((a, b) => (b.fit > a.fit ? b : a), shown[0]);
    return best === undefined ? 'click[Back to Search]' : `click[${best.asin}]`;
  }
}
