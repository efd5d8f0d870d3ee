// Defines the base class of sessions of one customer, which behave like ArCHer's client or like AgentGym's server.
import { scoreOf, type PageNode, type PageRequest, type PageSource } from './page.js';

export interface ShopTurn {
  /** The text of the page, or of the refusal of an invalid action, without the history. */
  text: string;
  reward: number;
  bought: boolean;
  refused: boolean;
}

/** The possible actions on a page, in the format of AgentGym's server: buttons and products in lower case, then option values. */
export interface AvailableActions {
  hasSearchBar: boolean;
  clickables: string[];
}

export abstract class Session {
  protected request: PageRequest;
  protected nodes: readonly PageNode[] = [];

  constructor(
    protected readonly source: PageSource,
    readonly session: string,
  ) {
    this.request = { page: 'start', session };
  }

  /** Opens the shop's first page. @returns its text */
  abstract open(): Promise<string>;
  abstract act(action: string): Promise<ShopTurn>;
  /** Returns the text of the current page, with the chosen options marked. */
  abstract pageText(): string;
  /** Returns the valid clicks on the current page, as an agent must write them. */
  abstract validActions(): string[];

  protected async goTo(request: PageRequest): Promise<void> {
    this.nodes = await this.source.open(request);
    this.request = request;
  }

  protected labels(kind: PageNode['kind']): string[] {
    return this.nodes.filter((node) => node.kind === kind).map(({ text }) => text);
  }

  /** Returns the option name of each value on the page: the last plain text before it; if a value occurs twice, the later one. */
  protected optionNames(): Map<string, string> {
    const names = new Map<string, string>();
    let name = '';
    for (const { kind, text } of this.nodes) {
      if (kind === 'text') name = text;
      else if (kind === 'option') names.set(text, name);
    }
    return names;
  }

  availableActions(): AvailableActions {
    const lower = [...this.labels('button'), ...this.labels('product')].map((text) => text.toLowerCase());
    const clickables = [...new Set([...lower, ...this.labels('option')])];
    return { hasSearchBar: this.request.page === 'start', clickables };
  }

  /** The instruction of the customer, as the current page shows it. */
  get instruction(): string {
    const label = this.nodes.findIndex(({ text }) => text.trim() === 'Instruction:');
    return this.nodes[label + 1]?.text ?? '';
  }

  protected buy(): PageRequest | null {
    const now = this.request;
    return now.page === 'item' ? { page: 'done', session: now.session, asin: now.asin, chosen: now.chosen } : null;
  }

  protected async turnOf(next: PageRequest | null, textOf: () => string): Promise<ShopTurn> {
    if (next === null) return { text: textOf(), reward: 0, bought: false, refused: true };
    await this.goTo(next);
    const score = next.page === 'done' ? scoreOf(this.nodes) : null;
    return { text: textOf(), reward: Number(score ?? 0), bought: next.page === 'done', refused: false };
  }
}
