// Implements a customer's session of WebShop with the behaviour of the text environment on AgentGym's server: it searches from
// any page, has several pages of results, and converts arguments to lower case. An invalid action shows the page again. Source:
// WebShop's text environment at commit 64fa2a5, AgentGym's fork of it at 3ef9235.
import { flaskJson } from '../cpython/repr.js';
import { scoreOf, separatedText, type PageRequest, type SubPage } from './page.js';
import { Session, type ShopTurn } from './session.js';

/** Returns the texts of the page after a purchase, as AgentGym's server prints them. */
const doneTexts = (asin: string, options: string, score: string): string =>
  [
    'Thank you for shopping with us!',
    'Your code:',
    'None',
    '(Paste it in your MTurk interface.)',
    'Purchased',
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
    'Target',
    'asin',
    'options',
    'attrs',
    'price upper',
    'instuction text',
    'category',
    'product category',
    'query',
    'Goal',
    'None',
    'Reward',
    'Your score (min 0.0, max 1.0)',
    score,
    'Reward Details',
    'None',
  ].join(' [SEP] ');

const subPages: Readonly<Record<string, SubPage>> = {
  description: 'Description',
  features: 'Features',
  reviews: 'Reviews',
  attributes: 'Attributes',
};

export class TextSession extends Session {
  async open(): Promise<string> {
    await this.goTo({ page: 'start', session: this.session });
    return this.pageText();
  }

  /** Carries out `name[argument]`. As on AgentGym's server, the name ends at the last `[` that a `]` follows. */
  async act(action: string): Promise<ShopTurn> {
    const [, name, argument] = /^(.+)\[(.+)\]/.exec(action) ?? [];
    const text = argument?.toLowerCase() ?? '';
    const next = name === 'search' ? this.#searched(text) : name === 'click' ? this.#clicked(text) : null;
    return this.turnOf(next, () => this.pageText());
  }

  validActions(): string[] {
    return this.availableActions()
      .clickables.filter((label) => label !== 'search')
      .map((label) => `click[${label}]`);
  }

  pageText(): string {
    const now = this.request;
    if (now.page !== 'done') return separatedText(this.nodes);
    return doneTexts(now.asin, flaskJson(now.chosen), scoreOf(this.nodes) ?? '');
  }

  #searched(keywords: string): PageRequest {
    return { page: 'results', session: this.session, keywords, number: 1, commands: true };
  }

  #clicked(label: string): PageRequest | null {
    const now = this.request;
    if (label === 'search' || !this.availableActions().clickables.includes(label)) return null;
    if (label === 'buy now') return this.buy();
    if (label === 'back to search') return { page: 'start', session: this.session };
    switch (now.page) {
      case 'results':
        if (label === 'next >') return { ...now, number: now.number + 1 };
        if (label === '< prev') return { ...now, number: now.number - 1 };
        return { ...now, page: 'item', asin: label.toUpperCase(), chosen: new Map() };
      case 'item':
        return this.#clickedOnItem(now, label);
      case 'sub': {
        const { session, keywords, number, asin, chosen } = now;
        return { page: 'item', session, keywords, number, asin, chosen };
      }
      default:
        return null;
    }
  }

  #clickedOnItem(now: PageRequest & { page: 'item' }, label: string): PageRequest | null {
    const { session, keywords, number, chosen } = now;
    if (label === '< prev') return { page: 'results', session, keywords, number, commands: true };
    if (Object.hasOwn(subPages, label)) return { ...now, page: 'sub', sub: subPages[label] };
    const name = this.optionNames().get(label);
    return name === undefined ? null : { ...now, chosen: new Map([...chosen, [name, label]]) };
  }
}
