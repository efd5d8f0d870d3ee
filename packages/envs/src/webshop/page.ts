// Defines a page of the shop as a list of visible text nodes, and its address on Princeton's WebShop site. Source: pages and
// texts of the site at commit 64fa2a5, and ArCHer's client of the site at 7c771a7.
import { pythonDict } from '../cpython/repr.js';
import { unicodeEscapeDecoded } from './unicode-escape.js';

export type SubPage = 'Description' | 'Features' | 'Reviews' | 'Attributes';
export type Chosen = ReadonlyMap<string, string>;

export type PageRequest =
  | { page: 'start'; session: string }
  /** `commands`: whether the keywords may begin with a command of WebShop's text environment: <r>, <c> or <q>. */
  | { page: 'results'; session: string; keywords: string; number: number; commands?: boolean }
  | { page: 'item'; session: string; keywords: string; number: number; asin: string; chosen: Chosen }
  | { page: 'sub'; session: string; keywords: string; number: number; asin: string; chosen: Chosen; sub: SubPage }
  | { page: 'done'; session: string; asin: string; chosen: Chosen };

/** A visible text node. Spaces within `text` are kept; a node of whitespace is one space. */
export interface PageNode {
  kind: 'text' | 'button' | 'option' | 'product';
  text: string;
}

/** The source of a session's pages: the built-in shop or a WebShop site. */
export interface PageSource {
  open(request: PageRequest): Promise<readonly PageNode[]>;
  close?(): Promise<void>;
}

export const scoreLabel = 'Your score (min 0.0, max 1.0)';

/** Percent-encodes a text like Python's `quote(text, safe='')`. */
const quoted = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns the path of a page on the site. `write` encodes the keywords and the chosen options. */
function pathOf(request: PageRequest, write: (part: string) => string): string {
  const { page, session } = request;
  if (page === 'start') return `/${session}`;
  if (page === 'results') return `/search_results/${session}/${write(request.keywords)}/${request.number}`;
  const options = write(pythonDict(request.chosen));
  if (page === 'done') return `/done/${session}/${request.asin}/${options}`;
  const place = `${session}/${request.asin}/${write(request.keywords)}/${request.number}`;
  return page === 'item' ? `/item_page/${place}/${options}` : `/item_sub_page/${place}/${request.sub}/${options}`;
}

/** Returns a page's path, percent-encoded. ArCHer's client does not encode `?` and `#`, so that they cut off the address. */
export const pagePath = (request: PageRequest): string => pathOf(request, quoted);

/** The number of products of a results page that ArCHer's client shows. */
const SHOWN = 3;

/** Returns whether a text consists only of spaces, newlines and the escape sequence \n. */
const isBlank = (text: string): boolean => /^(?:\n|\\n| )*$/.test(text);

/** Returns the text of a page as ArCHer's client shows it. */
export function archerText(nodes: readonly PageNode[], request: PageRequest): string {
  const score = scoreOf(nodes);
  if (score !== null) return `${scoreLabel}: ${score}`;
  // As in ArCHer's client, an option value is marked as chosen if the page's address contains it in quotes.
  const address = pathOf(request, (part) => part);
  let [text, texts, products, sinceProduct] = ['', 0, 0, 0];
  for (const node of nodes) {
    if (isBlank(node.text)) continue;
    if (node.kind === 'product') {
      products++;
      sinceProduct = 0;
      if (products <= SHOWN) text += `\n[${node.text}] `;
    } else if (node.kind === 'button') text += `\n[${node.text}] `;
    else if (node.kind === 'option') text += address.includes(`'${node.text}'`) ? `[[${node.text}]]` : `[${node.text}]`;
    else {
      // The instruction is left out of the page's text, since the observation ends with it.
      const isInstruction = request.page !== 'start' && texts < 2;
      const isOfHiddenProduct = products > SHOWN && sinceProduct <= 2;
      if (!isInstruction && !isOfHiddenProduct) text += `\n${node.text} `;
      texts++;
    }
    sinceProduct++;
  }
  return unicodeEscapeDecoded(text);
}

/** Returns the score that the last page shows, as text; null on any other page. */
export function scoreOf(nodes: readonly PageNode[]): string | null {
  const label = nodes.findIndex(({ text }) => text.trim() === scoreLabel);
  return label < 0 ? null : (nodes[label + 1]?.text.trim() ?? null);
}

/** Returns the text of a page as AgentGym's server shows it. */
export const separatedText = (nodes: readonly PageNode[]): string =>
  nodes.map(({ text }) => text.trim()).join(' [SEP] ');
