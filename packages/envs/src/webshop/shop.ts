// The embedded shop: the pages of Princeton's site as their text nodes, and the score of a purchase.
import { pythonFloat } from '../cpython/repr.js';
import type { Goal } from './goal.js';
import type { PageNode, PageRequest, PageSource, SubPage } from './page.js';
import { scoreLabel } from './page.js';
import type { Product } from './product.js';
import { purchaseReward } from './reward.js';
import { ProductSearch } from './search.js';

/** Products on a page of results. */
const PAGE_SIZE = 10;

const text = (content: string): PageNode => ({ kind: 'text', text: content });
const button = (label: string): PageNode => ({ kind: 'button', text: label });

export class UnknownGoalError extends RangeError {
  override readonly name = 'UnknownGoalError';
}

export class Shop implements PageSource {
  readonly #byAsin: ReadonlyMap<string, Product>;
  readonly #search: ProductSearch;

  constructor(
    readonly products: readonly Product[],
    readonly goals: readonly Goal[],
  ) {
    this.#byAsin = new Map(products.map((product) => [product.asin, product]));
    this.#search = new ProductSearch(products);
  }

  /** The product of this asin, in either case. */
  product(asin: string): Product | undefined {
    return this.#byAsin.get(asin) ?? this.#byAsin.get(asin.toUpperCase());
  }

  /** Session `fixed_k` shops for goal k. */
  goal(session: string): Goal {
    const index = Number(/^fixed_(\d+)$/.exec(session)?.[1] ?? NaN);
    const goal = this.goals[index];
    if (goal !== undefined) return goal;
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
    if (request.page === 'results') return [...top, ...this.#results(request.keywords, request.number)];
    const product = this.product(request.asin);
    if (product === undefined) throw new RangeError(`webshop: no product has the asin '${request.asin}'`);
    if (request.page === 'done') {
      const { reward } = purchaseReward(product, goal, request.chosen);
      return [text('Thank you for shopping with us!'), text(scoreLabel), text(pythonFloat(reward))];
    }
    if (request.page === 'item') return [...top, button('< Prev'), ...itemNodes(product)];
    return [...top, button('< Prev'), ...subPageNodes(product, request.sub)];
  }

  /** Positions of the products on a page of results, and how many results there are. */
  found(keywords: string, page: number): { total: number; shown: readonly Product[] } {
    const all = this.#search.search(keywords);
    const shown = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((id) => this.products[id]);
    return { total: all.length, shown };
  }

  #results(keywords: string, page: number): PageNode[] {
    const { total, shown } = this.found(keywords, page);
    const nodes = [text(`Page ${page} (Total results: ${total})`)];
    if (page > 1) nodes.push(button('< Prev'));
    nodes.push(button('Next >'));
    for (const { asin, title, priceText } of shown) {
      nodes.push({ kind: 'product', text: asin }, text(title), text(priceText));
    }
    return nodes;
  }
}

function itemNodes({ title, priceText, options }: Product): PageNode[] {
  const choices = [...options].flatMap(([name, values]): PageNode[] => [
    text(name),
    ...values.map((value): PageNode => ({ kind: 'option', text: value })),
  ]);
  const facts = [text(title), text(`Price: ${priceText}`), text('Rating: N.A.')];
  return [...choices, ...facts, ...['Description', 'Features', 'Reviews', 'Buy Now'].map(button)];
}

function subPageNodes(product: Product, sub: SubPage): PageNode[] {
  const { description, bullets, attributes, category, query, productCategory } = product;
  const item = (line: string): string => ` ${line}`; // the site's lists begin their lines with a blank
  const told: Record<SubPage, readonly string[]> = {
    Description: [description],
    Features: bullets.map(item),
    Reviews: [],
    Attributes: [...attributes.map(item), category, query, productCategory],
  };
  return told[sub]
    .map(collapsed)
    .filter((line) => line !== '')
    .map(text);
}

/** What a page shows of a text: nothing but blanks is nothing where they hold a newline, else one blank. */
function collapsed(line: string): string {
  if (/[^ \n\t\f\r]/.test(line)) return line;
  return line === '' || line.includes('\n') ? '' : ' ';
}
