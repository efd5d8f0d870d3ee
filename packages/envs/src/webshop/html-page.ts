// Extracts the visible text nodes from an HTML page of Princeton's WebShop site.
import { Parser, type Handler } from 'htmlparser2';
import type { PageNode } from './page.js';

const invisible = new Set(['style', 'script', 'head', 'title', 'meta']);

/** An HTML parser in which any closing tag ends a text node, as in Beautiful Soup; the site closes <h4> by </h5>. */
class TextParser extends Parser {
  constructor(
    private readonly endText: () => void,
    handler: Partial<Handler>,
  ) {
    super(handler);
  }

  override onclosetag(start: number, end: number): void {
    this.endText();
    super.onclosetag(start, end);
  }
}

/** Returns whether a text consists only of the characters that Beautiful Soup counts as whitespace. */
const isBlank = (text: string): boolean => /^[ \n\t\f\r]*$/.test(text);

/** Returns the text nodes without comments. As in Beautiful Soup, whitespace with a newline is skipped, other becomes a space. */
export function nodesOfHtml(html: string): PageNode[] {
  const nodes: PageNode[] = [];
  const open: { name: string; isProduct: boolean }[] = [];
  let text = '';
  const flush = () => {
    const parent = open.at(-1);
    const isVisible = !open.some(({ name }) => invisible.has(name));
    const shown = isBlank(text) ? (text === '' || text.includes('\n') ? '' : ' ') : text;
    if (shown !== '' && parent !== undefined && isVisible) nodes.push({ kind: kindOf(parent), text: shown });
    text = '';
  };
  const parser = new TextParser(flush, {
    ontext: (piece) => {
      text += piece;
    },
    onopentag: (name, attributes) => {
      flush();
      open.push({ name, isProduct: attributes.class === 'product-link' });
    },
    onclosetag: () => {
      flush();
      open.pop();
    },
    oncomment: flush,
    onprocessinginstruction: flush,
  });
  parser.end(html);
  flush();
  return nodes;
}

function kindOf({ name, isProduct }: { name: string; isProduct: boolean }): PageNode['kind'] {
  if (isProduct) return 'product';
  return name === 'button' ? 'button' : name === 'label' ? 'option' : 'text';
}
