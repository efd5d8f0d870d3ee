// YAML 1.1 text to tokens. Indentation becomes block-start and block-end tokens, and a key that is only recognised by the ':'
// after it gets its key token inserted where it began.
// Source: YAML 1.1 specification, chapters 5 to 9; where it leaves a choice, PyYAML's (tabs never separate tokens, a simple key
// ends on its line and within 1,024 characters, a second document is reported by the parser).
import { readBlockScalar } from './block-scalar.js';
import { Cursor, isBlankOrEnd, isBreak } from './cursor.js';
import { readQuoted } from './quoted-scalar.js';
import { YamlError } from './yaml-error.js';

export type TokenType =
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'stream-end';

export interface Token {
  readonly type: TokenType;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** Scalar text, anchor or alias name, tag as written, directive name. */
  readonly text: string;
  /** Scalars: written without quotes and not as a block. */
  readonly plain: boolean;
}

interface PossibleKey {
  readonly tokenIndex: number;
  readonly required: boolean;
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

const maximumSimpleKeyLength = 1024;

export function scan(text: string): Token[] {
  return new Scanner(text).run();
}

class Scanner extends Cursor {
  private flowLevel = 0;
  private indent = -1;
  private readonly indents: number[] = [];
  private simpleKeyAllowed = true;
  /** By flow level: the token that may turn out to be a key. */
  private readonly possibleKeys: (PossibleKey | undefined)[] = [];
  private readonly tokens: Token[] = [];

  run(): Token[] {
    while (this.scanToken());
    return this.tokens;
  }

  private push(type: TokenType, line = this.line, column = this.column + 1, text = '', plain = false): void {
    this.tokens.push({ type, line, column, text, plain });
  }

  /** Scan the next token; false at the end of the stream. */
  private scanToken(): boolean {
    this.skipToToken();
    this.dropStaleKeys();
    this.unwindIndent(this.column);
    const char = this.peek();
    if (char === '') return this.scanStreamEnd();
    if (this.column === 0 && char === '%') return this.scanDirective();
    if (this.column === 0 && this.atDocumentMark('---')) return this.scanDocumentMark('document-start');
    if (this.column === 0 && this.atDocumentMark('...')) return this.scanDocumentMark('document-end');
    switch (char) {
      case '[':
        return this.scanFlowStart('flow-sequence-start');
      case '{':
        return this.scanFlowStart('flow-mapping-start');
      case ']':
        return this.scanFlowEnd('flow-sequence-end');
      case '}':
        return this.scanFlowEnd('flow-mapping-end');
      case ',':
        this.forgetKey();
        this.simpleKeyAllowed = true;
        return this.scanIndicator('flow-entry');
      case '*':
        return this.scanAnchor('alias');
      case '&':
        return this.scanAnchor('anchor');
      case '!':
        return this.scanTag();
      case "'":
      case '"':
        return this.scanQuoted(char);
      case '-':
        if (isBlankOrEnd(this.peek(1))) return this.scanBlockEntry();
        break;
      case '?':
        if (this.flowLevel > 0 || isBlankOrEnd(this.peek(1))) return this.scanKey();
        break;
      case ':':
        if (this.flowLevel > 0 || isBlankOrEnd(this.peek(1))) return this.scanValue();
        break;
      case '|':
      case '>':
        if (this.flowLevel === 0) return this.scanBlockScalar(char);
    }
    if (this.startsPlain(char)) return this.scanPlain();
    if (char === '\t') this.fail('a tab cannot indent or separate here', 'use spaces');
    this.fail(`'${char}' cannot start a value`, 'put the value in quotes');
  }

  private startsPlain(char: string): boolean {
    if (!'\t-?:,[]{}#&*!|>\'"%@`'.includes(char)) return true;
    return !isBlankOrEnd(this.peek(1)) && (char === '-' || (this.flowLevel === 0 && (char === '?' || char === ':')));
  }

  private scanQuoted(quote: string): boolean {
    this.saveKey();
    this.simpleKeyAllowed = false;
    const { line, column } = this;
    this.push('scalar', line, column + 1, readQuoted(this, quote));
    return true;
  }

  private scanBlockScalar(style: '|' | '>'): boolean {
    this.forgetKey();
    this.simpleKeyAllowed = true;
    const { line, column } = this;
    this.push('scalar', line, column + 1, readBlockScalar(this, style, this.indent));
    return true;
  }

  // Spaces, comments and line breaks between tokens.
  private skipToToken(): void {
    if (this.index === 0 && this.peek() === '\ufeff') {
      this.index++;
      this.lineStart = 1;
    }
    for (;;) {
      while (this.peek() === ' ') this.index++;
      if (this.peek() === '#') while (this.peek() !== '' && !isBreak(this.peek())) this.index++;
      if (this.scanBreak() === '') return;
      if (this.flowLevel === 0) this.simpleKeyAllowed = true;
    }
  }

  private dropStaleKeys(): void {
    for (let level = 0; level < this.possibleKeys.length; level++) {
      const key = this.possibleKeys[level];
      if (!key || (key.line === this.line && this.index - key.index <= maximumSimpleKeyLength)) continue;
      if (key.required) this.failMissingColon(key);
      this.possibleKeys[level] = undefined;
    }
  }

  private failMissingColon(key: PossibleKey): never {
    throw new YamlError(
      `no ':' after this key`,
      key.line,
      key.column + 1,
      `write 'key: value', or indent this line to continue the value above`,
    );
  }

  private saveKey(): void {
    const required = this.flowLevel === 0 && this.indent === this.column;
    if (!this.simpleKeyAllowed) return;
    this.forgetKey();
    const { index, line, column } = this;
    this.possibleKeys[this.flowLevel] = { tokenIndex: this.tokens.length, required, index, line, column };
  }

  private forgetKey(): void {
    const key = this.possibleKeys[this.flowLevel];
    if (key?.required) this.failMissingColon(key);
    this.possibleKeys[this.flowLevel] = undefined;
  }

  private unwindIndent(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      this.indent = this.indents.pop()!;
      this.push('block-end');
    }
  }

  private addIndent(column: number): boolean {
    if (this.indent >= column) return false;
    this.indents.push(this.indent);
    this.indent = column;
    return true;
  }

  private scanStreamEnd(): boolean {
    this.unwindIndent(-1);
    this.forgetKey();
    this.push('stream-end');
    return false;
  }

  private scanDirective(): boolean {
    this.unwindIndent(-1);
    this.forgetKey();
    this.simpleKeyAllowed = false;
    const { line, column } = this;
    const end = this.text.slice(this.index).search(/[\n\r\x85\u2028\u2029]/);
    const directive = this.text.slice(this.index + 1, end < 0 ? undefined : this.index + end).replace(/\s*(#.*)?$/, '');
    if (!/^[\w-]+(\s|$)/.test(directive))
      this.fail('a directive needs a name', `quote the value if '%' begins a string`);
    if (/^YAML(\s|$)/.test(directive) && !/^YAML\s+1\.\d+$/.test(directive))
      this.fail(`'%${directive}' is no supported version`, `write '%YAML 1.1' or drop the line`);
    this.index = end < 0 ? this.text.length : this.index + end;
    this.push('directive', line, column + 1, directive);
    return true;
  }

  private scanDocumentMark(type: 'document-start' | 'document-end'): boolean {
    this.unwindIndent(-1);
    this.forgetKey();
    this.simpleKeyAllowed = false;
    this.push(type);
    this.index += 3;
    return true;
  }

  private scanIndicator(type: TokenType): boolean {
    this.push(type);
    this.index++;
    return true;
  }

  private scanFlowStart(type: 'flow-sequence-start' | 'flow-mapping-start'): boolean {
    this.saveKey();
    this.flowLevel++;
    this.simpleKeyAllowed = true;
    return this.scanIndicator(type);
  }

  private scanFlowEnd(type: 'flow-sequence-end' | 'flow-mapping-end'): boolean {
    this.forgetKey();
    if (this.flowLevel > 0) this.flowLevel--;
    this.simpleKeyAllowed = false;
    return this.scanIndicator(type);
  }

  private scanBlockEntry(): boolean {
    if (this.flowLevel === 0) {
      if (!this.simpleKeyAllowed)
        this.fail('a list item cannot begin here', `put '- ' on a line of its own, indented like its neighbours`);
      if (this.addIndent(this.column)) this.push('block-sequence-start');
    }
    this.simpleKeyAllowed = true;
    this.forgetKey();
    return this.scanIndicator('block-entry');
  }

  private scanKey(): boolean {
    if (this.flowLevel === 0) {
      if (!this.simpleKeyAllowed) this.fail('a key cannot begin here');
      if (this.addIndent(this.column)) this.push('block-mapping-start');
    }
    this.simpleKeyAllowed = this.flowLevel === 0;
    this.forgetKey();
    return this.scanIndicator('key');
  }

  private scanValue(): boolean {
    const key = this.possibleKeys[this.flowLevel];
    if (key) {
      this.possibleKeys[this.flowLevel] = undefined;
      const at = { line: key.line, column: key.column + 1, text: '', plain: false };
      const inserted: Token[] = [{ type: 'key', ...at }];
      if (this.flowLevel === 0 && this.addIndent(key.column)) inserted.unshift({ type: 'block-mapping-start', ...at });
      this.tokens.splice(key.tokenIndex, 0, ...inserted);
      this.simpleKeyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.simpleKeyAllowed)
          this.fail(`a second ': ' in one line`, 'quote the value, or indent the line as its neighbours are');
        if (this.addIndent(this.column)) this.push('block-mapping-start');
      }
      this.simpleKeyAllowed = this.flowLevel === 0;
      this.forgetKey();
    }
    return this.scanIndicator('value');
  }

  private scanAnchor(type: 'alias' | 'anchor'): boolean {
    this.saveKey();
    this.simpleKeyAllowed = false;
    const { line, column } = this;
    const name = /^[\w-]*/.exec(this.text.slice(this.index + 1, this.index + 1 + maximumSimpleKeyLength))![0];
    if (name === '') this.fail(`'${this.peek()}' needs a name of letters, digits, '-' and '_'`, 'quote the value');
    this.index += 1 + name.length;
    if (!isBlankOrEnd(this.peek()) && !'?:,]}%@`'.includes(this.peek()))
      this.fail(`'${this.peek()}' cannot be part of an ${type}'s name`, 'quote the value');
    this.push(type, line, column + 1, name);
    return true;
  }

  private scanTag(): boolean {
    this.saveKey();
    this.simpleKeyAllowed = false;
    const { line, column } = this;
    const rest = this.text.slice(this.index, this.index + maximumSimpleKeyLength);
    const tag = /^!<[^>\s]*>/.exec(rest)?.[0] ?? /^![\w\-;/?:@&=+$,.!~*'()[\]%]*/.exec(rest)![0];
    this.index += tag.length;
    if (!isBlankOrEnd(this.peek()))
      this.fail(`'${this.peek()}' cannot follow a tag`, 'put a space after the tag, or quote the value');
    this.push('tag', line, column + 1, tag);
    return true;
  }

  private scanPlain(): boolean {
    this.saveKey();
    this.simpleKeyAllowed = false;
    const { line, column } = this;
    const minimumIndent = this.indent + 1;
    let text = '';
    let spaces = '';
    for (;;) {
      if (this.peek() === '#') break;
      const start = this.index;
      while (!this.endsPlain()) this.index++;
      if (this.index === start) break;
      this.simpleKeyAllowed = false;
      text += spaces + this.text.slice(start, this.index);
      spaces = this.scanPlainSpaces();
      if (spaces === '' || this.peek() === '#' || (this.flowLevel === 0 && this.column < minimumIndent)) break;
    }
    this.push('scalar', line, column + 1, text, true);
    return true;
  }

  private endsPlain(): boolean {
    const char = this.peek();
    if (isBlankOrEnd(char)) return true;
    const inFlow = this.flowLevel > 0;
    if (char === ':') return isBlankOrEnd(this.peek(1)) || (inFlow && ',[]{}'.includes(this.peek(1)));
    return inFlow && ',?[]{}'.includes(char);
  }

  // What joins two words of a plain scalar: blanks as written, one line break a blank, more of them one fewer line breaks.
  private scanPlainSpaces(): string {
    const start = this.index;
    while (this.peek() === ' ') this.index++;
    const blanks = this.text.slice(start, this.index);
    const lineBreak = this.scanBreak();
    if (lineBreak === '') return blanks;
    this.simpleKeyAllowed = true;
    if (this.atDocumentMark('---') || this.atDocumentMark('...')) return '';
    let breaks = '';
    for (;;) {
      if (this.peek() === ' ') {
        this.index++;
        continue;
      }
      const next = this.scanBreak();
      if (next === '') break;
      breaks += next;
      if (this.atDocumentMark('---') || this.atDocumentMark('...')) return '';
    }
    return (lineBreak === '\n' ? (breaks === '' ? ' ' : '') : lineBreak) + breaks;
  }
}
