// What one customer may do and is told: ArCHer's text client, and the text environment inside AgentGym's server.
import {
  archerText,
  scoreOf,
  separatedText,
  type PageNode,
  type PageRequest,
  type PageSource,
  type SubPage,
} from './page.js';

export interface Turn {
  /** What the page or the refusal says, without history. */
  text: string;
  reward: number;
  bought: boolean;
  /** The action did nothing. */
  refused: boolean;
}

export interface AvailableActions {
  hasSearchBar: boolean;
  clickables: string[];
}

/** Where AgentGym's server tells a purchase from the page in full; the values are what it really prints. */
const doneTexts = (asin: string, options: string, score: string): string =>
  [
    ...['Thank you for shopping with us!', 'Your code:', 'None', '(Paste it in your MTurk interface.)', 'Purchased'],
    ...[
      'asin',
      asin,
      'options',
      options,
      'attrs',
      'None',
      'category',
      'None',
      'query',
      'None',
      'product category',
      'None',
    ],
    ...[
      'Target',
      'asin',
      'options',
      'attrs',
      'price upper',
      'instuction text',
      'category',
      'product category',
      'query',
    ],
    ...['Goal', 'None', 'Reward', 'Your score (min 0.0, max 1.0)', score, 'Reward Details', 'None'],
  ].join(' [SEP] ');

/** JSON as Python prints it. */
const pythonJson = (chosen: ReadonlyMap<string, string>): string =>
  `{${[...chosen].map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')}}`;

const subPages = new Set(['description', 'features', 'reviews', 'attributes']);

abstract class Session {
  protected request: PageRequest;
  protected nodes: readonly PageNode[] = [];

  constructor(
    protected readonly source: PageSource,
    readonly session: string,
  ) {
    this.request = { page: 'start', session };
  }

  protected async goTo(request: PageRequest): Promise<void> {
    this.nodes = await this.source.open(request);
    this.request = request;
  }

  /** Option name of a value on the item page: the last plain text before it. */
  protected optionNamed(value: string): string | undefined {
    let name = '';
    for (const node of this.nodes) {
      if (node.kind === 'text') name = node.text;
      else if (node.kind === 'option' && node.text === value) return name;
    }
    return undefined;
  }

  protected shows(kind: PageNode['kind'], text: string): boolean {
    return this.nodes.some((node) => node.kind === kind && node.text === text);
  }

  availableActions(): AvailableActions {
    const of = (kind: PageNode['kind']) => this.nodes.filter((node) => node.kind === kind).map(({ text }) => text);
    const lower = [...of('button'), ...of('product')].map((text) => text.toLowerCase());
    return { hasSearchBar: this.request.page === 'start', clickables: [...lower, ...of('option')] };
  }

  /** The request of the customer, from the page itself. */
  get instruction(): string {
    const label = this.nodes.findIndex(({ text }) => text.trim() === 'Instruction:');
    return this.nodes[label + 1]?.text ?? '';
  }

  protected buy(): PageRequest | null {
    const now = this.request;
    return now.page === 'item' ? { page: 'done', session: now.session, asin: now.asin, chosen: now.chosen } : null;
  }

  protected async turnOf(next: PageRequest | null, textOf: () => string): Promise<Turn> {
    if (next === null) return { text: textOf(), reward: 0, bought: false, refused: true };
    await this.goTo(next);
    const score = next.page === 'done' ? scoreOf(this.nodes) : null;
    return { text: textOf(), reward: Number(score ?? 0), bought: next.page === 'done', refused: false };
  }
}

/** As ArCHer's client: search on the first page only, no `Next >`, exact case. */
export class ArcherSession extends Session {
  async open(): Promise<string> {
    await this.goTo({ page: 'start', session: this.session });
    return archerText(this.nodes, this.request);
  }

  async act(action: string): Promise<Turn> {
    if (/^think\[[^]*\]$/.test(action)) return { text: 'OK.', reward: 0, bought: false, refused: false };
    const [, verb, argument] = /^(search|click)\[([^]*)\]$/.exec(action) ?? [];
    const name = verb === 'click' && this.request.page === 'item' ? this.optionNamed(argument) : undefined;
    if (name !== undefined && this.request.page === 'item') {
      await this.goTo({ ...this.request, chosen: new Map([...this.request.chosen, [name, argument]]) });
      return { text: `You have clicked ${argument}.`, reward: 0, bought: false, refused: false };
    }
    const next = verb === 'search' ? this.#searched(argument) : verb === 'click' ? this.#clicked(argument) : null;
    return this.turnOf(next, () => (next === null ? 'Invalid action!' : archerText(this.nodes, this.request)));
  }

  #searched(keywords: string): PageRequest | null {
    if (this.request.page !== 'start' || keywords.trim() === '') return null;
    return { page: 'results', session: this.session, keywords, number: 1 };
  }

  #clicked(label: string): PageRequest | null {
    const now = this.request;
    if (label === 'Back to Search' && now.page !== 'start') return { page: 'start', session: this.session };
    if (label === 'Buy Now') return this.buy();
    if (now.page === 'results' && this.shows('product', label))
      return { ...now, page: 'item', asin: label, chosen: new Map() };
    if (now.page === 'item' && label === '< Prev') {
      return { page: 'results', session: now.session, keywords: now.keywords, number: now.number };
    }
    if (now.page === 'item' && subPages.has(label.toLowerCase()) && this.shows('button', label)) {
      return { ...now, page: 'sub', sub: label as SubPage };
    }
    if (now.page === 'sub' && label === '< Prev') {
      const { session, keywords, number, asin, chosen } = now;
      return { page: 'item', session, keywords, number, asin, chosen };
    }
    return null;
  }
}

/** As AgentGym's server: search on any page, paging, arguments lower-cased, an unknown action shows the page again. */
export class TextSession extends Session {
  async open(): Promise<string> {
    await this.goTo({ page: 'start', session: this.session });
    return this.#text();
  }

  async act(action: string): Promise<Turn> {
    const [, verb, argument] = /^(.+)\[(.+)\]/.exec(action) ?? [];
    const text = argument?.toLowerCase() ?? '';
    const next = verb === 'search' ? this.#searched(text) : verb === 'click' ? this.#clicked(text) : null;
    return this.turnOf(next, () => this.#text());
  }

  #text(): string {
    const now = this.request;
    if (now.page !== 'done') return separatedText(this.nodes);
    return doneTexts(now.asin, pythonJson(now.chosen), scoreOf(this.nodes) ?? '');
  }

  #searched(keywords: string): PageRequest {
    return { page: 'results', session: this.session, keywords, number: 1 };
  }

  #clicked(label: string): PageRequest | null {
    const now = this.request;
    if (label === 'search' || !this.availableActions().clickables.includes(label)) return null;
    if (label === 'back to search') return { page: 'start', session: this.session };
    if (label === 'buy now') return this.buy();
    if (now.page === 'results') {
      if (label === 'next >') return { ...now, number: now.number + 1 };
      if (label === '< prev') return { ...now, number: now.number - 1 };
      return { ...now, page: 'item', asin: label.toUpperCase(), chosen: new Map() };
    }
    if (now.page === 'item' && label === '< prev') {
      return { page: 'results', session: now.session, keywords: now.keywords, number: now.number };
    }
    if (now.page === 'item' && subPages.has(label)) {
      return { ...now, page: 'sub', sub: `${label[0].toUpperCase()}${label.slice(1)}` as SubPage };
    }
    if (now.page === 'item') {
      const name = this.optionNamed(label);
      return name === undefined ? null : { ...now, chosen: new Map([...now.chosen, [name, label]]) };
    }
    if (now.page !== 'sub') return null;
    const { session, keywords, number, asin, chosen } = now;
    return { page: 'item', session, keywords, number, asin, chosen };
  }
}
