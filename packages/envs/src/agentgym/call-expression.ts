// Parses one Python call such as `take(obj='mug 1')` with literal arguments, without evaluating it (format code_as_action).

export interface Call {
  name: string;
  positional: string[];
  named: Record<string, string>;
  comments: string[];
}

export class CallSyntaxError extends Error {
  override readonly name = 'CallSyntaxError';
}

interface Token {
  kind: 'name' | 'literal' | 'mark';
  text: string;
}

const TOKENS =
  /\s+|#(?<comment>[^\n]*)|(?<name>[A-Za-z_]\w*)|(?<number>[+-]?\d+(?:\.\d+)?)|"""(?<long>(?:\\[^]|[^\\])*?)"""|"(?<double>(?:\\[^]|[^"\\\n])*)"|'(?<single>(?:\\[^]|[^'\\\n])*)'|(?<mark>[(),=])/y;

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** Parses a text as one call. @throws {CallSyntaxError} for anything but exactly one call with literal arguments */
export function parseCall(text: string): Call {
  const { tokens, comments } = tokenize(text);
  const reader = new TokenReader(tokens);
  const name = reader.take('name');
  reader.mark('(');
  const call: Call = { name, positional: [], named: {}, comments };
  while (!reader.is(')')) {
    readArgument(reader, call);
    if (!reader.is(')')) reader.mark(',');
  }
  reader.mark(')');
  reader.end();
  return call;
}

function readArgument(reader: TokenReader, { positional, named }: Call): void {
  if (reader.kind === 'name') {
    const name = reader.take('name');
    reader.mark('=');
    if (Object.hasOwn(named, name)) throw new CallSyntaxError(`the argument '${name}' is given twice`);
    named[name] = reader.take('literal');
    return;
  }
  if (Object.keys(named).length > 0) throw new CallSyntaxError('an argument without a name follows a named one');
  positional.push(reader.take('literal'));
}

function tokenize(text: string): { tokens: Token[]; comments: string[] } {
  const tokens: Token[] = [];
  const comments: string[] = [];
  TOKENS.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKENS.lastIndex) {
    TOKENS.lastIndex = at;
    const groups = TOKENS.exec(text)?.groups;
    if (groups === undefined) throw new CallSyntaxError(`cannot read '${text.slice(at, at + 20)}'`);
    const { comment, name, number, long, double, single, mark } = groups;
    const quoted = long ?? double ?? single;
    if (comment !== undefined) comments.push(comment.trim());
    if (name !== undefined) tokens.push({ kind: 'name', text: name });
    if (number !== undefined) tokens.push({ kind: 'literal', text: number });
    if (quoted !== undefined) tokens.push({ kind: 'literal', text: unescaped(quoted) });
    if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
  }
  return { tokens, comments };
}

/** Resolves a string's escape sequences as Python does: an unknown sequence is kept unchanged. */
const unescaped = (text: string): string =>
  text.replace(/\\([^])/g, (whole, sign: string) => ESCAPES[sign] ?? (/["'\\]/.test(sign) ? sign : whole));

class TokenReader {
  #at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get kind(): Token['kind'] | undefined {
    return this.tokens[this.#at]?.kind;
  }

  is(mark: string): boolean {
    return this.kind === 'mark' && this.tokens[this.#at].text === mark;
  }

  take(kind: Token['kind']): string {
    const token = this.tokens[this.#at++];
    if (token?.kind !== kind) throw new CallSyntaxError(`expected a ${kind}, found ${token?.text ?? 'the end'}`);
    return token.text;
  }

  mark(mark: string): void {
    if (!this.is(mark))
      throw new CallSyntaxError(`expected '${mark}', found ${this.tokens[this.#at]?.text ?? 'the end'}`);
    this.#at++;
  }

  end(): void {
    if (this.#at < this.tokens.length) throw new CallSyntaxError(`'${this.tokens[this.#at].text}' follows the call`);
  }
}
