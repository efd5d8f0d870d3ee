// Implements a customer's session of WebShop with the behaviour of ArCHer's text client: it searches only from the first page,
// shows only the first page of results, is case-sensitive, and keeps some state between pages. Source: ArCHer's WebShop client at
// commit 7c771a7.
import { archerText, type PageRequest, type SubPage } from './page.js';
import { Session, type ShopTurn } from './session.js';
import { unicodeEscapeDecoded } from './unicode-escape.js';

const subPages = ['Description', 'Features', 'Reviews', 'Attributes'] as const satisfies readonly SubPage[];
const isSubPage = (label: string): label is SubPage => (subPages as readonly string[]).includes(label);

const REFUSAL = 'Invalid action!';

export class ArcherSession extends Session {
  /** The option name of each value since the last search; as in ArCHer's client, values stay valid on other items' pages. */
  #optionNames: ReadonlyMap<string, string> = new Map();
  #asins: readonly string[] = [];

  async open(): Promise<string> {
    await this.#enter({ page: 'start', session: this.session });
    return this.pageText();
  }

  override get instruction(): string {
    return unicodeEscapeDecoded(super.instruction);
  }

  /** Carries out an action. As in ArCHer's client, its argument loses the last character, even if that is not a bracket. */
  async act(action: string): Promise<ShopTurn> {
    if (action.startsWith('think[')) return { text: 'OK.', reward: 0, bought: false, refused: false };
    if (action.startsWith('search[')) return this.#search(action.slice('search['.length, -1));
    if (action.startsWith('click[')) return this.#click(action.slice('click['.length, -1));
    return this.#refuse();
  }

  validActions(): string[] {
    const shown = [...archerText(this.nodes, this.request).matchAll(/\[+([^\][]+)\]+/g)].map(([, label]) => label);
    return shown.filter((label) => !['Search', 'Next >'].includes(label)).map((label) => `click[${label}]`);
  }

  pageText(): string {
    return archerText(this.nodes, this.request);
  }

  #refuse(): Promise<ShopTurn> {
    return this.turnOf(null, () => REFUSAL);
  }

  /** Opens a page of the item or search; earlier option values and products stay clickable if the page has none. */
  async #visit(request: PageRequest): Promise<ShopTurn> {
    const turn = await this.turnOf(request, () => this.pageText());
    const names = this.optionNames();
    const asins = this.labels('product');
    if (names.size > 0) this.#optionNames = names;
    if (asins.length > 0) this.#asins = asins;
    return turn;
  }

  /** Opens a page after removing the option values and products of earlier pages from those that can be clicked. */
  #enter(request: PageRequest): Promise<ShopTurn> {
    this.#optionNames = new Map();
    this.#asins = [];
    return this.#visit(request);
  }

  async #search(keywords: string): Promise<ShopTurn> {
    if (this.request.page !== 'start') return this.#refuse();
    return this.#enter({ page: 'results', session: this.session, keywords, number: 1 });
  }

  async #click(label: string): Promise<ShopTurn> {
    const now = this.request;
    if (label === 'Buy Now') {
      const bought = this.buy();
      return bought === null ? this.#refuse() : this.#visit(bought);
    }
    if (label === 'Back to Search') {
      return ['start', 'done'].includes(now.page)
        ? this.#refuse()
        : this.#enter({ page: 'start', session: this.session });
    }
    if (label === 'Next >') return this.#refuse();
    if (label === '< Prev') return this.#back();
    if (isSubPage(label))
      return now.page === 'item' ? this.#visit({ ...now, page: 'sub', sub: label }) : this.#refuse();
    if (now.page === 'results') {
      if (!this.#asins.includes(label)) return this.#refuse();
      return this.#visit({ ...now, page: 'item', asin: label, chosen: new Map() });
    }
    if (now.page === 'item') return this.#choose(now, label);
    // A click on any other label of the page shows the current page again.
    return this.turnOf(null, () => this.pageText());
  }

  async #back(): Promise<ShopTurn> {
    const now = this.request;
    if (now.page === 'sub') {
      const { session, keywords, number, asin, chosen } = now;
      return this.#visit({ page: 'item', session, keywords, number, asin, chosen });
    }
    if (now.page !== 'item') return this.#refuse();
    return this.#visit({ page: 'results', session: now.session, keywords: now.keywords, number: now.number });
  }

  async #choose(now: PageRequest & { page: 'item' }, value: string): Promise<ShopTurn> {
    const name = this.#optionNames.get(value);
    if (name === undefined) return this.#refuse();
    const turn = await this.#visit({ ...now, chosen: new Map([...now.chosen, [name, value]]) });
    return { ...turn, text: `You have clicked ${value}.` };
  }
}
