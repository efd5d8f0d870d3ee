// A page of the shop as its visible text nodes, and the address it has on Princeton's site.
// Source: pages and texts of WebShop's site at 64fa2a5, ArCHer's client of it at 7c771a7.

export type SubPage = 'Description' | 'Features' | 'Reviews' | 'Attributes';
export type Chosen = ReadonlyMap<string, string>;

export type PageRequest =
  | { page: 'start'; session: string }
  | { page: 'results'; session: string; keywords: string; number: number }
  | { page: 'item'; session: string; keywords: string; number: number; asin: string; chosen: Chosen }
  | { page: 'sub'; session: string; keywords: string; number: number; asin: string; chosen: Chosen; sub: SubPage }
  | { page: 'done'; session: string; asin: string; chosen: Chosen };

/** A piece of visible text; `text` keeps its own blanks. */
export interface PageNode {
  kind: 'text' | 'button' | 'option' | 'product';
  text: string;
}

/** Where pages come from: the embedded shop or a site. */
export interface PageSource {
  open(request: PageRequest): Promise<readonly PageNode[]>;
}

export const scoreLabel = 'Your score (min 0.0, max 1.0)';

const quoted = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27');

/** A string as a Python literal in single quotes, or in double ones where it holds a single one. */
const pythonString = (text: string): string => (text.includes("'") ? `"${text}"` : `'${text}'`);

export const pythonDict = (chosen: Chosen): string =>
  `{${[...chosen].map(([name, value]) => `${pythonString(name)}: ${pythonString(value)}`).join(', ')}}`;

/** The page's path on the site. */
export function pagePath(request: PageRequest): string {
  const { page, session } = request;
  if (page === 'start') return `/${session}`;
  if (page === 'results') return `/search_results/${session}/${quoted(request.keywords)}/${request.number}`;
  const options = quoted(pythonDict(request.chosen));
  if (page === 'done') return `/done/${session}/${request.asin}/${options}`;
  const place = `${session}/${request.asin}/${quoted(request.keywords)}/${request.number}`;
  return page === 'item' ? `/item_page/${place}/${options}` : `/item_sub_page/${place}/${request.sub}/${options}`;
}

/** ArCHer's client shows so many products of a page. */
const SHOWN = 3;

/** The page as ArCHer's client tells it. */
export function archerText(nodes: readonly PageNode[], request: PageRequest): string {
  const score = scoreOf(nodes);
  if (score !== null) return `${scoreLabel}: ${score}`;
  const chosen = 'chosen' in request ? [...request.chosen.values()] : [];
  let [text, texts, products, sinceProduct] = ['', 0, 0, 0];
  for (const node of nodes) {
    if (node.kind === 'product') {
      products++;
      sinceProduct = 0;
      if (products <= SHOWN) text += `\n[${node.text}] `;
    } else if (node.kind === 'button') text += `\n[${node.text}] `;
    else if (node.kind === 'option') text += chosen.includes(node.text) ? `[[${node.text}]]` : `[${node.text}]`;
    else {
      sinceProduct++;
      texts++;
      // The instruction stands at the end of the observation instead.
      const isInstruction = request.page !== 'start' && texts <= 2;
      const isOfHiddenProduct = products > SHOWN && sinceProduct <= 2;
      if (!isInstruction && !isOfHiddenProduct) text += `\n${node.text} `;
    }
  }
  return text;
}

/** The score on the last page, as it is written there; null on every other page. */
export function scoreOf(nodes: readonly PageNode[]): string | null {
  const label = nodes.findIndex(({ text }) => text.trim() === scoreLabel);
  return label < 0 ? null : (nodes[label + 1]?.text.trim() ?? null);
}

/** The page as AgentGym's server tells it. */
export const separatedText = (nodes: readonly PageNode[]): string =>
  nodes.map(({ text }) => text.trim()).join(' [SEP] ');
