// Writes config nodes as YAML, byte for byte as Hydra prints them: lines are folded at 80 columns, lists are at the indent of
// their key. The writer keeps the same state about the current line as PyYAML's emitter does, since line breaks depend on it.
import { Bytes, Float, type ConfigNode, type Key, type Scalar } from '../node.js';
import { floatRepr } from '../python-text.js';
import { looksTyped, needsQuotes, scalarShape, type ScalarStyle } from './scalar-style.js';

const width = 80;
const longestSimpleKey = 128;

/** Writes the node as YAML text with a final newline. */
export function writeYaml(node: ConfigNode): string {
  return new Writer().document(node);
}

const doubleQuoteEscapes: Record<string, string> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\xa0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
};

class Writer {
  private readonly out: string[] = [];
  private column = 0;
  /** Whether the last character was a space, or the line is empty. */
  private afterBlank = true;
  /** Whether the line contains nothing but indentation and indicators. */
  private onlyIndented = true;
  /** The current indentation in spaces; −1 before the first mapping or list. */
  private indent = -1;

  document(node: ConfigNode): string {
    this.node(node, false);
    if (this.column > 0) this.lineBreak();
    return this.out.join('');
  }

  private put(text: string): void {
    this.out.push(text);
    this.column += /[\ud800-\udbff]/.test(text) ? Array.from(text).length : text.length;
  }

  private lineBreak(char = '\n'): void {
    this.out.push(char);
    this.column = 0;
    this.afterBlank = true;
    this.onlyIndented = true;
  }

  private indicator(text: string, needsBlank: boolean, { indents = false } = {}): void {
    this.put(this.afterBlank || !needsBlank ? text : ` ${text}`);
    this.afterBlank = false;
    this.onlyIndented &&= indents;
  }

  private startLine(): void {
    const indent = Math.max(this.indent, 0);
    if (!this.onlyIndented || this.column > indent || (this.column === indent && !this.afterBlank)) this.lineBreak();
    if (this.column >= indent) return;
    this.afterBlank = true;
    this.put(' '.repeat(indent - this.column));
  }

  private indented(write: () => void, indent = this.indent + 2): void {
    const outer = this.indent;
    this.indent = indent;
    write();
    this.indent = outer;
  }

  private node(node: ConfigNode, inMapping: boolean): void {
    if (node.kind === 'scalar') {
      this.indented(() => this.scalar(node.value, false), this.indent < 0 ? 2 : this.indent + 2);
    } else if (node.kind === 'list') {
      if (node.items.length === 0) this.indicator('[]', true);
      else this.list(node.items, inMapping);
    } else if (node.entries.size === 0) this.indicator('{}', true);
    else this.mapping([...node.entries.values()]);
  }

  private list(items: readonly ConfigNode[], inMapping: boolean): void {
    // As in PyYAML's output, a list that is the value of a key is not indented further than the key.
    const indentless = inMapping && !this.onlyIndented;
    const indent = this.indent < 0 ? 0 : indentless ? this.indent : this.indent + 2;
    this.indented(() => {
      for (const item of items) {
        this.startLine();
        this.indicator('-', true, { indents: true });
        this.node(item, false);
      }
    }, indent);
  }

  private mapping(entries: readonly { key: Key; node: ConfigNode }[]): void {
    this.indented(
      () => {
        for (const { key, node } of entries) {
          this.startLine();
          if (isSimpleKey(key)) {
            this.indented(() => this.scalar(key, true));
            this.indicator(':', false);
          } else {
            this.indicator('?', true, { indents: true });
            this.indented(() => this.scalar(key, false));
            this.startLine();
            this.indicator(':', true, { indents: true });
          }
          this.node(node, true);
        }
      },
      this.indent < 0 ? 0 : this.indent + 2,
    );
  }

  private scalar(value: Scalar, isKey: boolean): void {
    if (value instanceof Bytes) return this.binary(value);
    const text = scalarText(value);
    const style = typeof value === 'string' ? textStyle(value, isKey) : 'plain';
    if (style === 'plain') this.plain(text, !isKey);
    else if (style === 'single') this.singleQuoted(text, !isKey);
    else this.doubleQuoted(text, !isKey);
  }

  private binary({ base64 }: Bytes): void {
    this.indicator('!!binary', true);
    this.indicator('|', true);
    const lines = base64.match(/.{1,76}/g) ?? [];
    for (const line of lines) {
      this.lineBreak();
      this.startLine();
      this.put(line);
    }
    this.lineBreak();
  }

  private plain(text: string, mayFold: boolean): void {
    if (text === '') return;
    if (!this.afterBlank) this.put(' ');
    this.afterBlank = false;
    this.onlyIndented = false;
    this.words(text, mayFold, false);
  }

  // Writes words and the spaces between them; a single space after column 80 becomes a line break.
  private words(text: string, mayFold: boolean, quoted: boolean): void {
    for (const match of text.matchAll(/( +)|([\n\x85\u2028\u2029]+)|'|[^ \n\x85\u2028\u2029']+/g)) {
      const [run, spaces, breaks] = match;
      if (spaces) {
        const inside = !quoted || (match.index > 0 && match.index + run.length < text.length);
        if (spaces.length === 1 && this.column > width && mayFold && inside) this.fold();
        else this.put(spaces);
      } else if (breaks) this.breaks(breaks);
      else this.put(quoted && run === "'" ? "''" : run);
    }
  }

  private fold(): void {
    this.startLine();
    this.afterBlank = false;
    this.onlyIndented = false;
  }

  private breaks(run: string): void {
    if (run.startsWith('\n')) this.lineBreak();
    for (const char of run) this.lineBreak(char);
    this.startLine();
  }

  private singleQuoted(text: string, mayFold: boolean): void {
    this.indicator("'", true);
    this.words(text, mayFold, true);
    this.indicator("'", false);
  }

  private doubleQuoted(text: string, mayFold: boolean): void {
    const chars = Array.from(text);
    this.indicator('"', true);
    let start = 0;
    const flush = (end: number) => {
      if (start < end) this.put(chars.slice(start, end).join(''));
      start = Math.max(start, end);
    };
    for (let end = 0; end <= chars.length; end++) {
      const char = chars[end];
      if (char === undefined || mustEscape(char)) {
        flush(end);
        if (char !== undefined) {
          this.put(escapeText(char));
          start = end + 1;
        }
      }
      const foldable = mayFold && end > 0 && end < chars.length - 1 && (char === ' ' || start >= end);
      if (!foldable || this.column + (end - start) <= width) continue;
      this.put(`${chars.slice(start, Math.max(start, end)).join('')}\\`);
      start = Math.max(start, end);
      this.fold();
      if (chars[start] === ' ') this.put('\\');
    }
    this.indicator('"', false);
  }
}

function mustEscape(char: string): boolean {
  if ('"\\\x85\u2028\u2029\ufeff'.includes(char)) return true;
  return !(
    (char >= ' ' && char <= '~') ||
    (char >= '\xa0' && char <= '\ud7ff') ||
    (char.length === 1 && char >= '\ue000' && char <= '\ufffd')
  );
}

function escapeText(char: string): string {
  if (doubleQuoteEscapes[char]) return `\\${doubleQuoteEscapes[char]}`;
  const hex = char.codePointAt(0)!.toString(16).toUpperCase();
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function scalarText(value: Scalar): string {
  if (value === null) return 'null';
  if (value instanceof Float) return yamlFloat(value.value);
  return String(value);
}

/** Writes a float. YAML 1.1 requires a dot, so Python's 1e-05 is written 1.0e-05. */
function yamlFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const text = floatRepr(value);
  return text.includes('.') ? text : text.replace('e', '.0e');
}

function textStyle(text: string, isKey: boolean): ScalarStyle {
  const { multiline, allowPlain, allowSingle } = scalarShape(text);
  if (!needsQuotes(text) && allowPlain && !(isKey && (text === '' || multiline))) return 'plain';
  if (looksTyped(text) && !allowSingle) return 'double';
  return allowSingle && !(isKey && multiline) ? 'single' : 'double';
}

/** Short, not empty and on one line. PyYAML includes the omitted tag (`!!str`) in the length. */
function isSimpleKey(key: Key): boolean {
  if (typeof key !== 'string') return scalarText(key).length + 5 < longestSimpleKey;
  return key !== '' && Array.from(key).length + 5 < longestSimpleKey && !scalarShape(key).multiline;
}
