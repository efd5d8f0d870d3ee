// The visible text nodes of an HTML page of Princeton's site.
import { Parser } from 'htmlparser2';
import type { PageNode } from './page.js';

const invisible = new Set(['style', 'script', 'head', 'title', 'meta']);

/** Blank nodes are skipped; comments never come as text. */
export function nodesOfHtml(html: string): PageNode[] {
  const nodes: PageNode[] = [];
  const open: { name: string; isProduct: boolean }[] = [];
  let text = '';
  const flush = () => {
    const parent = open.at(-1);
    const isVisible = !open.some(({ name }) => invisible.has(name));
    if (text.trim() !== '' && parent !== undefined && isVisible) nodes.push({ kind: kindOf(parent), text });
    text = '';
  };
  const parser = new Parser({
    ontext: (piece) => {
      text += piece;
    },
    onopentag: (name, attributes) => {
      flush();
      open.push({ name, isProduct: (attributes.class ?? '').split(' ').includes('product-link') });
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
