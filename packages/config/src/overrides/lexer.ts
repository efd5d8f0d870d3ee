// Splits an override into tokens, with different rules for the key, before the first '=', and for the value. Each token is the longest
// match; the earlier rule counts if several have the same length. Whitespace next to brackets, commas, colons and '=' belongs to these
// tokens, so that it never becomes part of a value.
// Source: the grammar in Hydra's documentation ("The override grammar").
import { OverrideSyntaxError } from './syntax-error.js';

export type KeyTokenType = 'equal' | '~' | '+' | '@' | ':' | '/' | 'special' | 'path';
export type ValueTokenType =
  | 'quoted'
  | 'equal'
  | '('
  | ')'
  | ','
  | ':'
  | '{'
  | '}'
  | '['
  | ']'
  | 'float'
  | 'int'
  | 'bool'
  | 'null'
  | 'char'
  | 'id'
  | 'escape'
  | 'blank'
  | 'interpolation';

export interface Token<Type extends string = KeyTokenType | ValueTokenType> {
  readonly type: Type;
  readonly text: string;
  readonly index: number;
}

const integer = '(?:0|[1-9](?:_?[0-9])*)';
const digits = '[0-9](?:_?[0-9])*';
const point = `(?:${integer}?\\.${digits}|${integer}\\.)`;
const float = `[-+]?(?:(?:${point}|${integer})[eE][-+]?${digits}|${point}|[iI][nN][fF]|[nN][aA][nN])`;
const special = '[A-Za-z_$][A-Za-z0-9_$-]*';

type Rules<Type extends string> = readonly (readonly [Type, RegExp])[];

const keyRules: Rules<KeyTokenType> = [
  ['path', new RegExp(`(?:${special}|${integer})(?:\\.(?:${special}|${integer}))+`, 'y')],
  ['special', new RegExp(special, 'y')],
  ['equal', /=[ \t]*/y],
  ['~', /~/y],
  ['+', /\+/y],
  ['@', /@/y],
  [':', /:/y],
  ['/', /\//y],
];

/** The tokens for signs; whitespace around a sign belongs to its token. */
const signRules: Rules<ValueTokenType> = [
  ['equal', /[ \t]*=[ \t]*/y],
  ['(', /[ \t]*\([ \t]*/y],
  [',', /[ \t]*,[ \t]*/y],
  [')', /[ \t]*\)/y],
  [':', /[ \t]*:[ \t]*/y],
  ['}', /[ \t]*\}/y],
  [']', /[ \t]*\]/y],
];
const numberRules: Rules<ValueTokenType> = [
  ['float', new RegExp(float, 'y')],
  ['int', new RegExp(`[-+]?${integer}`, 'y')],
];
const wordRules: Rules<ValueTokenType> = [
  ['bool', /[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]/y],
  ['null', /[nN][uU][lL][lL]/y],
  ['id', /[A-Za-z_][A-Za-z0-9_-]*/y],
];
const charRule = ['char', /[/\-\\+.$%*@?|]/y] as const;
const quotedRule = ['quoted', /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"/y] as const;

/** Returns the token rules that can match at a character; the earlier one counts if two match the same length. */
function valueRules(start: string): Rules<ValueTokenType> {
  if (/[A-Za-z_]/.test(start)) return [...numberRules, ...wordRules];
  if (/[0-9]/.test(start)) return numberRules;
  if ('+-.'.includes(start)) return [...numberRules, charRule];
  if (start === ' ' || start === '\t') return [...signRules, ['blank', /[ \t]+/y]];
  if (start === '$') return [['interpolation', /\$\{[^}]+\}/y], charRule];
  if (start === '\\') return [['escape', /(?:\\[\\()[\]{}:=, \t])+/y], charRule];
  if (start === '{') return [['{', /\{[ \t]*/y]];
  if (start === '[') return [['[', /\[[ \t]*/y]];
  if (start === "'" || start === '"') return [quotedRule];
  return '=(,):}]'.includes(start) ? signRules : [charRule];
}

const rulesByStart = new Map<string, Rules<ValueTokenType>>();

function rulesAt(text: string, index: number, lastBrace: number): Rules<ValueTokenType> {
  const start = text[index]!;
  // A '$' without a later '}' cannot begin an interpolation. Trying the interpolation's rule at every '$' would take quadratic
  // time.
  if (start === '$' && index > lastBrace) return [charRule];
  let rules = rulesByStart.get(start);
  if (!rules) rulesByStart.set(start, (rules = valueRules(start)));
  return rules;
}

/** Reads tokens up to and including the first '='; `next` is the index of the value. */
export function lexKey(text: string): { tokens: Token<KeyTokenType>[]; next: number } {
  const tokens: Token<KeyTokenType>[] = [];
  let index = 0;
  while (index < text.length) {
    const token = longest(keyRules, text, index);
    if (!token)
      throw new OverrideSyntaxError(`${show(text, index)} is not allowed in a key`, index, keyRemedy(text, index));
    tokens.push(token);
    index += token.text.length;
    if (token.type === 'equal') break;
  }
  return { tokens, next: index };
}

export function lexValue(text: string, from = 0): Token<ValueTokenType>[] {
  const tokens: Token<ValueTokenType>[] = [];
  const lastBrace = text.lastIndexOf('}');
  let index = from;
  while (index < text.length) {
    const token = longest(rulesAt(text, index, lastBrace), text, index);
    if (!token)
      throw new OverrideSyntaxError(
        `${show(text, index)} is not allowed outside quotes`,
        index,
        valueRemedy(text, index),
      );
    tokens.push(token);
    index += token.text.length;
  }
  return tokens;
}

function longest<Type extends string>(rules: Rules<Type>, text: string, index: number): Token<Type> | undefined {
  let best: Token<Type> | undefined;
  for (const [type, rule] of rules) {
    rule.lastIndex = index;
    const match = rule.exec(text)?.[0];
    if (match !== undefined && match.length > (best?.text.length ?? 0)) best = { type, text: match, index };
  }
  return best;
}

function show(text: string, index: number): string {
  const char = String.fromCodePoint(text.codePointAt(index)!);
  return char === '\n' ? 'a line break' : char === ' ' || char === '\t' ? 'a space' : `'${char}'`;
}

function keyRemedy(text: string, index: number): string {
  if (text[index] === '[') return `write a list index with a dot: 'key.0=value'`;
  if (/^[0-9]/.test(text.slice(index))) return 'begin a key with a letter or _';
  return 'keys consist of letters, digits, _ and -, joined by dots';
}

function valueRemedy(text: string, index: number): string {
  const char = text[index];
  if (char === "'" || char === '"') return `close the quote, or write a quote inside as \\${char}`;
  return `put the value in quotes: '${text.slice(0, text.indexOf('=') + 1)}"…"'`;
}
