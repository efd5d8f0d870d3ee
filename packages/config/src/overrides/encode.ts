import { Float } from '../node.js';
import { pythonStr } from '../python-text.js';
import { DictValue, QuotedString, type Element } from './value.js';

/** Writes a value in override syntax: `True`, `1e-05`, `null`, `'quoted stays quoted'`, `words\ with\ spaces\ escaped`. */
export function encodeElement(value: Element | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof QuotedString) return withQuotes(value);
  if (Array.isArray(value)) return `[${value.map(encodeElement).join(',')}]`;
  if (value instanceof DictValue)
    return `{${value.pairs.map((pair) => `${encodeElement(pair.key)}:${encodeElement(pair.value)}`).join(',')}}`;
  if (typeof value === 'string') return value.replace(/[\\()[\]{}:=, \t]/g, '\\$&');
  return pythonStr(value instanceof Float ? value : value);
}

function withQuotes({ text, quote }: QuotedString): string {
  const inner = `${text}${quote}`.replace(
    quote === "'" ? /(\\*)'/g : /(\\*)"/g,
    (_, slashes: string, index: number) => {
      const closing = index + slashes.length === text.length;
      return `${slashes}${slashes}${closing ? '' : '\\'}${quote}`;
    },
  );
  return quote + inner;
}
