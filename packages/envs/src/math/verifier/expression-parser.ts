// Parses expressions by recursive descent, with this grammar:
//
//     expression = [sign] term { (+ | -) term }
//     term       = signed { (* | / | nothing) signed }          a product without a sign binds as one with it: 1/2x is (1/2)x
//     signed     = { sign } power
//     power      = postfix [ ^ exponent ]                       to the right: 2^3^2 is 2^9; -2^2 is -4
//     postfix    = value { ! | ° }
//     value      = number | mixed number | variable | constant | ( expression ) | | expression |
//                | \frac | \sqrt | \binom | ⌊ ⌋ | function
//     function   = name [ ^ exponent ] [ _ base ] argument
//     argument   = a group, or a product without signs up to the next function: \sin 2x is sin(2x), \sin x \cos x is two factors,
//                  \ln x^2 is ln(x²), \sin x / 2 is half of sin x
import { Fraction, NoValueError } from '../fraction.js';
import { tokensOf, type Token } from './lexer.js';
import { decimal, MAX_DIGITS, repeatingDecimal } from './numerals.js';
import { TokenReader } from './token-reader.js';
import { binary, number, type Tree } from './tree.js';
import { accents, applied, functionNames, greek, invertible, invisible } from './vocabulary.js';
import { areWords, isLongWord } from './words.js';

/** Parses an expression in LaTeX or plain text; returns null if the text is not an expression. */
export function parseText(text: string): Tree | null {
  const tokens = tokensOf(text);
  return tokens && parseExpression(tokens);
}

/** Parses tokens as an expression; returns null if they are not one as a whole. */
export function parseExpression(tokens: readonly Token[]): Tree | null {
  try {
    return tokens.length === 0 ? null : new Parser(tokens).whole();
  } catch (error) {
    if (error instanceof NoValueError) return null;
    throw error;
  }
}

class Parser extends TokenReader {
  #bars = 0;

  whole(): Tree {
    const tree = this.#expression();
    if (this.position < this.tokens.length) this.fail();
    return tree;
  }

  #expression(): Tree {
    let sum = this.#term();
    while (this.is('+', '-')) sum = binary(sum, this.take().text as '+' | '-', this.#term());
    return sum;
  }

  #term(): Tree {
    let product = this.#signed();
    for (;;) {
      if (this.is('*', '/')) {
        product = binary(product, this.take().text as '*' | '/', this.#signed());
      } else if (this.#startsValue()) {
        // Two numbers beside each other, as in `1 2`, are an error and not a product.
        if (this.next?.kind === 'number' && this.tokens[this.position - 1].kind === 'number') this.fail();
        product = binary(product, '*', this.#power());
      } else return product;
    }
  }

  #signed(): Tree {
    if (this.accept('+')) return this.deeper(() => this.#signed());
    if (this.accept('-')) return { type: 'negative', of: this.deeper(() => this.#signed()) };
    return this.#power();
  }

  #startsValue(): boolean {
    const next = this.next;
    if (next === undefined || next.kind === 'decimals') return false;
    if (next.kind === 'symbol') return ['(', '[', '{'].includes(next.text) || (next.text === '|' && this.#isOpening());
    return next.kind !== 'command' || next.text !== 'end';
  }

  /** Returns whether the bar | opens an absolute value; it closes one if one is open and a value precedes it. */
  #isOpening(): boolean {
    return this.#bars === 0;
  }

  #power(): Tree {
    const base = this.#postfix();
    return this.accept('^') ? binary(base, '^', this.#exponent()) : base;
  }

  /** Parses an exponent: a group in braces, or a value with an optional sign and exponent. */
  #exponent(): Tree {
    return this.deeper(() => {
      if (this.is('{')) return this.#raised(this.#braces());
      if (this.accept('-')) return { type: 'negative', of: this.#exponent() };
      if (this.accept('+')) return this.#exponent();
      return this.#raised(this.#postfix());
    });
  }

  #raised(base: Tree): Tree {
    return this.accept('^') ? binary(base, '^', this.#exponent()) : base;
  }

  #postfix(): Tree {
    let value = this.#value();
    for (;;) {
      if (this.accept('!')) value = { type: 'call', name: 'factorial', arguments: [value] };
      else if (this.accept('°')) value = binary(value, '*', DEGREE);
      else return value;
    }
  }

  #value(): Tree {
    const next = this.next;
    if (next === undefined) this.fail();
    if (next.kind === 'number') return this.#number();
    if (next.kind === 'letters') return this.#letters();
    if (next.kind === 'command') return this.#command();
    if (next.text === '{') return this.#braces();
    if (next.text === '|') return this.#absolute();
    return this.#parentheses();
  }

  #number(): Tree {
    const { text } = this.take();
    if (text.length > MAX_DIGITS) this.fail();
    if (this.next?.kind === 'decimals') return number(repeatingDecimal(text, this.take().text));
    const value = decimal(text);
    if (this.is('_')) return this.#based(text);
    return (/^\d+$/.test(text) ? this.#mixed(value) : null) ?? number(value);
  }

  /** Parses a number in another base, such as 4210_5. It is not evaluated, since a problem may ask for exactly this notation. */
  #based(digits: string): Tree {
    this.take();
    return { type: 'variable', name: `${digits}_${this.#subscript()}` };
  }

  /** Parses a mixed number: `1 1/2` or `1\frac{1}{2}`. */
  #mixed(whole: Fraction): Tree | null {
    const start = this.position;
    const fraction = this.isCommand('frac') ? this.#numericFraction() : this.#spacedFraction();
    if (fraction === null) {
      this.position = start;
      return null;
    }
    return number(whole.plus(fraction), !fraction.isInteger());
  }

  #numericFraction(): Fraction | null {
    this.take();
    const [above, below] = [this.#digits(), this.#digits()];
    return above === null || below === null ? null : Fraction.of(above, below);
  }

  /** Parses digits as an integer argument of a LaTeX command, such as those of `\frac`. */
  #digits(): bigint | null {
    const isGroup = this.accept('{');
    const next = this.next;
    if (next?.kind !== 'number' || !/^\d+$/.test(next.text)) return null;
    const digits = isGroup ? this.take().text : this.character();
    return isGroup && !this.accept('}') ? null : BigInt(digits);
  }

  #spacedFraction(): Fraction | null {
    const [above, sign, below] = this.tokens.slice(this.position, this.position + 3);
    const isInteger = (token: Token | undefined) => token?.kind === 'number' && /^\d{1,9}$/.test(token.text);
    if (!above?.isSpaced || !isInteger(above) || sign?.text !== '/' || !isInteger(below)) return null;
    this.position += 3;
    if (this.is('^', '(', '*', '!')) return null;
    return Fraction.of(BigInt(above.text), BigInt(below.text));
  }

  #letters(): Tree {
    const { text, isUpright } = this.take();
    const letters = [...text];
    if (this.next?.kind === 'letters' && this.next.isSpaced && areWords(text, this.next.text)) this.fail();
    if (letters.length > 1) {
      if (isUpright || isLongWord(text)) this.fail();
      // A run of letters such as `ab^2` is a product: a power, index or parentheses belong only to the last letter.
      const rest = letters
        .slice(1)
        .map((letter): Token => ({ kind: 'letters', text: letter, isSpaced: false, isUpright }));
      this.tokens.splice(this.position, 0, ...rest);
    }
    return this.#letter(letters[0]);
  }

  #letter(letter: string): Tree {
    const name = this.#indexed(letter);
    if (name === 'e') return { type: 'constant', name: 'e' };
    if (name === 'i') return { type: 'constant', name: 'i' };
    if (!applied.has(letter) || !this.is('(')) return { type: 'variable', name };
    return { type: 'application', name, arguments: this.#list() };
  }

  #indexed(letter: string): string {
    let name = letter;
    for (;;) {
      if (this.accept("'")) name += "'";
      else if (this.accept('_')) name += `_${this.#subscript()}`;
      else return name;
    }
  }

  #subscript(): string {
    if (!this.accept('{')) {
      const next = this.next;
      return next?.kind === 'number' || next?.kind === 'letters' ? this.take().text : this.fail();
    }
    let text = '';
    for (let depth = 1; depth > 0;) {
      const token = this.take();
      if (token.kind === 'symbol' && token.text === '{') depth++;
      if (token.kind === 'symbol' && token.text === '}') depth--;
      if (depth > 0) text += token.kind === 'command' ? `\\${token.text} ` : token.text;
    }
    return text;
  }

  /** Parses the arguments of a function: values in parentheses, separated by commas. */
  #list(): Tree[] {
    this.expect('(');
    const values: Tree[] = [];
    do values.push(this.#inside(() => this.#expression()));
    while (this.accept(','));
    this.expect(')');
    return values;
  }

  /** Parses the content of brackets, in which a bar | cannot close an absolute value that was opened outside. */
  #inside(parse: () => Tree): Tree {
    return this.deeper(() => {
      const bars = this.#bars;
      this.#bars = 0;
      const tree = parse();
      this.#bars = bars;
      return tree;
    });
  }

  #braces(): Tree {
    return this.#grouped('{', '}');
  }

  #parentheses(): Tree {
    return this.is('[') ? this.#grouped('[', ']') : this.#grouped('(', ')');
  }

  #grouped(open: string, close: string): Tree {
    this.expect(open);
    const of = this.#inside(() => this.#expression());
    this.expect(close);
    return { type: 'group', of };
  }

  #absolute(): Tree {
    this.expect('|');
    this.#bars++;
    const of = this.deeper(() => this.#expression());
    this.#bars--;
    this.expect('|');
    return { type: 'call', name: 'abs', arguments: [of] };
  }

  #command(): Tree {
    const { text } = this.take();
    if (text === 'pi') return { type: 'constant', name: 'pi' };
    if (greek.has(text)) return { type: 'variable', name: this.#indexed(`\\${text}`) };
    if (functionNames.has(text)) return this.#function(text);
    if (text === 'frac') return { type: 'group', of: binary(this.#argument(), '/', this.#argument()) };
    if (text === 'binom') return { type: 'call', name: 'binomial', arguments: [this.#argument(), this.#argument()] };
    if (text === 'lfloor' || text === 'lceil') return this.#rounded(text.slice(1));
    if (invisible.has(text)) return this.#argument();
    if (accents.has(text)) return { type: 'variable', name: this.#indexed(`\\${text}${this.#subscript()}`) };
    if (text === 'sum' || text === 'prod') return this.#series(text);
    return this.fail();
  }

  #rounded(name: string): Tree {
    const of = this.#inside(() => this.#expression());
    if (!this.isCommand(`r${name}`)) this.fail();
    this.take();
    return { type: 'call', name, arguments: [of] };
  }

  /** Parses a sum `\sum_{k=a}^{b} term`. It is not evaluated: two sums are equal if their bounds and terms are. */
  #series(name: string): Tree {
    this.expect('_');
    this.expect('{');
    const index = this.take().text;
    this.expect('=');
    const from = this.#inside(() => this.#expression());
    this.expect('}');
    this.expect('^');
    const to = this.#argument();
    return { type: 'application', name: `\\${name} ${index}`, arguments: [from, to, this.deeper(() => this.#term())] };
  }

  /** Parses the argument of a LaTeX command: a group in braces, or one character. */
  #argument(): Tree {
    return this.deeper(() => {
      const next = this.next;
      if (next === undefined) this.fail();
      if (next.kind === 'number') return number(decimal(this.character()));
      if (next.kind === 'letters') return this.#letter(this.character());
      if (next.kind === 'command') return this.#command();
      return this.is('{') ? this.#braces() : this.#parentheses();
    });
  }

  #function(name: string): Tree {
    if (name === 'sqrt') return this.#squareRoot();
    if (name === 'radical')
      return { type: 'call', name: 'root', arguments: [this.deeper(() => this.#value()), number(2)] };
    if (name === 'cbrt') return { type: 'call', name: 'root', arguments: [this.#argument(), number(3)] };
    if (name === 'log') return this.#logarithm();
    const exponent = this.accept('^') ? this.#exponent() : null;
    if (exponent !== null && isMinusOne(exponent) && invertible.has(name)) return this.#call(`arc${name}`);
    const call = this.#call(name);
    return exponent === null ? call : binary(call, '^', exponent);
  }

  #call(name: string, ...before: Tree[]): Tree {
    return { type: 'call', name, arguments: [...before, this.deeper(() => this.#functionArgument())] };
  }

  #squareRoot(): Tree {
    if (!this.accept('[')) return this.#rootOf(number(2));
    const degree = this.#inside(() => this.#expression());
    this.expect(']');
    return this.#rootOf(degree);
  }

  #rootOf(degree: Tree): Tree {
    return { type: 'call', name: 'root', arguments: [this.#argument(), degree] };
  }

  /** Parses a logarithm with its optional base; the default base is 10. */
  #logarithm(): Tree {
    let exponent: Tree | null = null;
    let base: Tree = number(10);
    for (let i = 0; i < 2; i++) {
      if (this.accept('^')) exponent = this.#exponent();
      if (this.accept('_')) base = this.#base();
    }
    const call = this.#call('log', base);
    return exponent === null ? call : binary(call, '^', exponent);
  }

  /** Parses the base of a logarithm: 2 in `\log_28`, which is log₂ 8, and 10 in `log_10 100`. */
  #base(): Tree {
    const [next, after] = [this.next, this.tokens[this.position + 1]];
    const isWhole = next?.kind === 'number' && after !== undefined && after.text !== '^' && after.text !== ')';
    return isWhole ? number(decimal(this.take().text)) : this.#argument();
  }

  #functionArgument(): Tree {
    if (this.accept('-')) return { type: 'negative', of: this.deeper(() => this.#functionArgument()) };
    const isGroup = this.is('(', '[', '{', '|');
    const first = isGroup ? this.#value() : this.#power();
    if (isGroup) return first;
    let product = first;
    while (this.#continuesArgument()) product = binary(product, '*', this.#power());
    return product;
  }

  #continuesArgument(): boolean {
    const next = this.next;
    if (next?.kind === 'number') return this.tokens[this.position - 1].kind !== 'number';
    if (next?.kind === 'letters') return true;
    if (next?.kind !== 'command') return false;
    return (
      next.text === 'pi' ||
      next.text === 'frac' ||
      next.text === 'sqrt' ||
      next.text === 'radical' ||
      greek.has(next.text)
    );
  }
}

/** π/180, the factor that converts degrees to radians. */
const DEGREE: Tree = binary({ type: 'constant', name: 'pi' }, '/', number(180));

function isMinusOne(tree: Tree): boolean {
  if (tree.type === 'group') return isMinusOne(tree.of);
  return tree.type === 'negative' && tree.of.type === 'number' && tree.of.value.equals(Fraction.of(1));
}
