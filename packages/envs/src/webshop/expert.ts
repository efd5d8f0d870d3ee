// Implements the scripted shopper of demonstrations, which knows only the instruction and the pages that an agent sees.
import type { WebShopInfo } from './webshop.js';

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns the description of the wanted product: the instruction without the wanted options and the price. */
const wanted = (instruction: string): string =>
  instruction
    .replace(/, and (?:i prefer|price lower than)[^]*$/, '')
    .replace(/^(?:i need|i am looking for|find me|i would like to buy) /, '');

const cap = (instruction: string): number =>
  Number(/price lower than ([\d.]+) dollars/.exec(instruction)?.[1] ?? Infinity);

/** Returns the option values that an instruction asks for: `, and i prefer the NAME VALUE`. */
const preferences = (instruction: string): string[] =>
  [...instruction.matchAll(/, and i prefer the \S+ (.*?)(?=, and |$)/g)].map(([, value]) => value);

/** Chooses the shopper's actions, in the format of ArCHer's text client. `info.text` is the text of the current page. */
export class Shopper {
  #chosen = new Set<string>();
  #seen = new Set<string>();
  #turnsLeft = 0;

  /** Creates a shopper. @param turns turn limit of an episode */
  constructor(private readonly turns = 10) {}

  /** Returns the next action. @param info the `info` of the reset or of the last step */
  act(info: WebShopInfo): string {
    const { instruction, availableActions } = info;
    const choices = preferences(instruction);
    if (availableActions.hasSearchBar) {
      this.#chosen.clear();
      this.#seen.clear();
      this.#turnsLeft = this.turns - 1;
      return `search[${[wanted(instruction), ...choices].join(' ')}]`;
    }
    this.#turnsLeft--;
    const { clickables } = availableActions;
    return clickables.includes('buy now') ? this.#onItem(clickables, choices) : this.#pick(info);
  }

  #onItem(clickables: readonly string[], choices: readonly string[]): string {
    const offered = choices.filter((value) => clickables.includes(value));
    const toBuy = choices.length + 1; // a click for each choice, then Buy Now
    const another = this.#turnsLeft >= 2 + toBuy && this.#chosen.size === 0;
    if (offered.length < choices.length && another && this.#seen.size < 3) return 'click[< Prev]';
    const next = offered.find((value) => !this.#chosen.has(value));
    if (next === undefined) return 'click[Buy Now]';
    this.#chosen.add(next);
    return `click[${next}]`;
  }

  /** Returns a click on the unvisited, perhaps affordable product whose title has most words of the instruction. */
  #pick({ text, instruction }: WebShopInfo): string {
    const words = new Set(wordsOf(wanted(instruction)));
    const shown = [...text.matchAll(/\[(B[0-9A-Z]{9})\] \n(.*) \n\$([\d.]+)/g)].map(([, asin, title, price]) => {
      const overlap = new Set(wordsOf(title).filter((word) => words.has(word))).size;
      return { asin, fit: overlap - (Number(price) > cap(instruction) || this.#seen.has(asin) ? words.size : 0) };
    });
    // Among equally good products, the one that the search ranks first is chosen.
    const best = shown.reduce((a, b) => (b.fit > a.fit ? b : a), shown[0]);
    if (best === undefined) return 'click[Back to Search]';
    this.#seen.add(best.asin);
    return `click[${best.asin}]`;
  }
}
