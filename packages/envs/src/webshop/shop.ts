// Implements the built-in shop of `webshop`: the pages of Princeton's site as text nodes, and the score of a purchase.
import { PythonRandom } from '../cpython/random.js';
import { pythonFloat } from '../cpython/repr.js';
import type { Goal } from './goal.js';
import { type PageNode, type PageRequest, type PageSource, type SubPage, scoreLabel } from './page.js';
import type { Product } from './product.js';
import { purchaseReward } from './reward.js';
import { ProductSearch } from './product-search.js';
import type { ProductStore } from './product-store.js';

const PAGE_SIZE = 10;
/** The number of products that the search command <r> returns. */
const RANDOM_PRODUCTS = 50;

/** Returns whether keywords cannot be part of a results page's address: empty, with a slash, or a list in brackets. */
const hasNoPage = (keywords: string): boolean => keywords === '' || keywords.includes('/') || keywords.startsWith('[');

const text = (content: string): PageNode => ({ kind: 'text', text: content });
const button = (label: string): PageNode => ({ kind: 'button', text: label });

class UnknownGoalError extends RangeError {
  override readonly name = 'UnknownGoalError';
}

export class Shop implements PageSource {
  constructor(
    readonly products: ProductStore,
    /** The goals of customers by index; null for an unknown goal. */
    readonly goals: readonly (Goal | null)[],
    private readonly search: Pick<ProductSearch, 'search'> = ProductSearch.over(products),
  ) {}

  /** Returns the product with this asin (product id), in the case as given or in upper case. */
  product(asin: string): Product | undefined {
    const id = this.products.idOf(asin) ?? this.products.idOf(asin.toUpperCase());
    return id === undefined ? undefined : this.products.at(id);
  }

  /** Returns the goal of a session. The session named `fixed_k` has the goal with index k. */
  goal(session: string): Goal {
    const index = Number(/^fixed_(\d+)$/.exec(session)?.[1] ?? NaN);
    const goal = this.goals[index];
    if (goal !== undefined && goal !== null) return goal;
    throw new UnknownGoalError(
      `webshop: session '${session}' names no goal; there are fixed_0 … fixed_${this.goals.length - 1}`,
    );
  }

  async open(request: PageRequest): Promise<readonly PageNode[]> {
    return this.nodes(request);
  }

  nodes(request: PageRequest): readonly PageNode[] {
    const goal = this.goal(request.session);
    if (request.page === 'start') {
      return [text('WebShop'), text('Instruction: '), text(goal.instruction), button('Search')];
    }
    const top = [text('Instruction:'), text(goal.instruction), button('Back to Search')];
    if (request.page === 'results') {
      if (!request.commands && hasNoPage(request.keywords)) return [];
      return [...top, ...this.#results(goal, request)];
    }
    const product = this.product(request.asin);
    if (product === undefined) throw new RangeError(`webshop: no product has the asin '${request.asin}'`);
    if (request.page === 'done') {
      const { reward } = purchaseReward(product, goal, request.chosen);
      return [text('Thank you for shopping with us!'), text(scoreLabel), text(pythonFloat(reward))];
    }
    if (request.page === 'item') return [...top, button('< Prev'), ...itemNodes(product)];
    return [...top, button('< Prev'), ...subPageNodes(product, request.sub)];
  }

  #results(goal: Goal, { keywords, number, commands = false }: PageRequest & { page: 'results' }): PageNode[] {
    const all = (commands ? this.#commanded(goal, keywords) : null) ?? this.search.search(keywords);
    const nodes = [text(`Page ${number} (Total results: ${all.length})`)];
    if (number > 1) nodes.push(button('< Prev'));
    nodes.push(button('Next >'));
    for (const id of all.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE)) {
      const { asin, title, priceText } = this.products.at(id);
      nodes.push({ kind: 'product', text: asin }, ...shown([title, priceText]));
    }
    return nodes;
  }

  /** Returns the products of a search command (<r> random, <c> by category, <q> by query); null if it is none. */
  #commanded(goal: Goal, keywords: string): readonly number[] | null {
    const [command, ...words] = keywords.split(' ');
    if (command === '<r>') return this.#random(goal);
    if (command === '<c>') return this.#those(({ category }) => category === (words[0] ?? '').trim());
    if (command === '<q>') return this.#those(({ query }) => query === words.join(' ').trim());
    return null;
  }

  /** Returns random products for the command <r>. They are always the same for a goal; WebShop draws new ones each time. */
  #random(goal: Goal): number[] {
    const { size } = this.products;
    return new PythonRandom(this.goals.indexOf(goal)).sample(
      Array.from({ length: size }, (_, id) => id),
      Math.min(size, RANDOM_PRODUCTS),
    );
  }

  #those(matches: (product: Product) => boolean): number[] {
    return Array.from({ length: this.products.size }, (_, id) => id).filter((id) => matches(this.products.at(id)));
  }
}

function itemNodes({ title, priceText, options }: Product): PageNode[] {
  const choices = [...options].flatMap(([name, values]): PageNode[] => [
    text(name),
    ...values.map((value): PageNode => ({ kind: 'option', text: value })),
  ]);
  const facts = shown([title, `Price: ${priceText}`, 'Rating: N.A.']);
  return [...choices, ...facts, ...['Description', 'Features', 'Reviews', 'Buy Now'].map(button)];
}

function subPageNodes(product: Product, sub: SubPage): PageNode[] {
  const { description, bullets, attributes, category, query, productCategory } = product;
  const item = (line: string): string => ` ${line}`; // lines of the site's lists begin with a space
  const lines: Record<SubPage, readonly string[]> = {
    Description: [description],
    Features: bullets.map(item),
    Reviews: [],
    Attributes: [...attributes.map(item), category, query, productCategory],
  };
  return lines[sub]
    .map(collapsed)
    .filter((line) => line !== '')
    .map(text);
}

/** Returns a text node for each line that a page shows. */
const shown = (lines: readonly string[]): PageNode[] =>
  lines
    .map(collapsed)
    .filter((line) => line !== '')
    .map(text);

/** Returns a line as the HTML page shows it: whitespace alone vanishes if it has a newline, else becomes one space. */
function collapsed(line: string): string {
  if (/[^ \n\t\f\r]/.test(line)) return line;
  return line === '' || line.includes('\n') ? '' : ' ';
}
