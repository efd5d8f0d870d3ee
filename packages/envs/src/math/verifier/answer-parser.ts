// Parses the text of a final answer.
//
//     answer     = time | list | joined | relation | bracketed | matrix | ratio | measure | words
//     list       = answer { ( , | ; | and | or ) answer }       ± makes two members
//     joined     = answer { ( ∪ | ∩ | ∖ ) answer }
//     relation   = [ name ( = | ∈ ) ] answer | side { ( = | < | ≤ | > | ≥ | ≠ ) side }
//     bracketed  = ( list ) | [ list ] | { list }               brackets of two kinds, as in [1, 2): only an interval
//     measure    = [ currency ] expression { scale word } [ unit | noun ]
import { list, type Answer, type Comparison, type ListAnswer, type Relation } from './answer.js';
import { parseExpression } from './expression-parser.js';
import { tokensOf, type Token } from './lexer.js';
import { parseMatrix } from './matrix-parser.js';
import { parseMeasure } from './measure-parser.js';
import { nameOf } from './name-parser.js';
import { bracketed, isSymbol, split, textOf, type Part } from './token-lists.js';
import { variablesOf } from './tree.js';
import { choiceLetter, isWord, plainWords } from './words.js';

/** The largest number of characters of an answer. A longer text is not parsed and counts as wrong. */
const MAX_ANSWER = 2000;

const MAX_MEMBERS = 32;

const MAX_DEPTH = 6;

/** Parses a final answer without the solution before it; returns null if it is empty, too long or not an answer. */
export function parseAnswer(text: string): Answer | null {
  if (text.length > MAX_ANSWER) return null;
  const plain = text.trim().replace(/^(\${1,2})([^$]*)\1\.?$/, '$2');
  const words = plainWords(plain);
  if (words === '') return null;
  const choice = choiceLetter(plain);
  if (choice !== null) return { kind: 'text', name: null, text: choice };
  const tokens = tokensOf(plain);
  const meaning = tokens === null ? null : answerOf(trimmed(tokens), 0);
  return meaning ?? { kind: 'text', name: null, text: words };
}

/** Removes pairs of dollar signs, which delimit mathematics in LaTeX, and the punctuation at the end of an answer. */
function trimmed(tokens: readonly Token[]): Token[] {
  const arePairs = tokens.filter((token) => isSymbol(token, '$')).length % 2 === 0;
  const kept = tokens.filter((token, i) => !isSymbol(token, '$') || (!arePairs && isCurrency(tokens, i)));
  while (isSymbol(kept.at(-1), '.', ',', ';', ':')) kept.pop();
  return isSymbol(kept[0], '=') ? kept.slice(1) : kept;
}

const isCurrency = (tokens: readonly Token[], i: number): boolean =>
  tokens[i + 1]?.kind === 'number' || (tokens[i - 1]?.kind === 'number' && i === tokens.length - 1);

function answerOf(tokens: readonly Token[], depth: number): Answer | null {
  if (tokens.length === 0 || depth > MAX_DEPTH) return null;
  const only = tokens.length === 1 ? singleOf(tokens[0]) : null;
  return only ?? timeOf(tokens) ?? infinityOf(tokens) ?? compoundOf(tokens, depth) ?? simpleOf(tokens, depth);
}

function singleOf({ kind, text }: Token): Answer | null {
  if (kind === 'command' && text === 'emptyset') return list('\\{', '\\}', []);
  if (kind === 'command' && text === 'set R') return reals();
  return null;
}

const reals = (): ListAnswer =>
  list('(', ')', [
    { kind: 'infinity', name: null, sign: -1 },
    { kind: 'infinity', name: null, sign: 1 },
  ]);

const TIME = /^(\d{1,2})(?::(\d{2}))?([ap])\.?m\.?$/i;

/** Parses a time of day, such as 3:30 pm or 3 p.m. */
function timeOf(tokens: readonly Token[]): Answer | null {
  const time = tokens.length <= 8 ? TIME.exec(textOf(tokens)) : null;
  if (time === null) return null;
  const [hours, minutes] = [Number(time[1]), Number(time[2] ?? 0)];
  if (hours < 1 || hours > 12 || minutes > 59) return null;
  const half = time[3].toLowerCase() === 'a' ? 'am' : 'pm';
  return { kind: 'time', name: null, minutes: (hours % 12) * 60 + minutes, half };
}

function infinityOf(tokens: readonly Token[]): Answer | null {
  const sign = tokens.length === 2 && isSymbol(tokens[0], '+', '-') ? tokens[0].text : '';
  if (!isSymbol(tokens.at(-1), '∞') || tokens.length !== 1 + sign.length) return null;
  return { kind: 'infinity', name: null, sign: sign === '-' ? -1 : 1 };
}

function compoundOf(tokens: readonly Token[], depth: number): Answer | null {
  for (const separators of [[';'], [',', 'and', 'or']]) {
    const parts = split(tokens, separators);
    if (parts === null) return null;
    if (parts.length > 1) return joinedBy(jointOf(tokens), bareList(parts, depth));
  }
  return joinedOf(tokens, depth) ?? titledOf(tokens, depth) ?? relationOf(tokens, depth) ?? bothSigns(tokens, depth);
}

const joinedBy = (joint: ListAnswer['joint'], answer: Answer | null): Answer | null =>
  answer?.kind === 'list' && joint !== undefined ? { ...answer, joint } : answer;

function jointOf(tokens: readonly Token[]): ListAnswer['joint'] {
  const [and, or] = ['and', 'or'].map((word) => tokens.some((token) => isSymbol(token, word)));
  if (and === or) return undefined;
  return and ? 'and' : 'or';
}

/** Parses a list without brackets. Empty members are skipped, such as the one between comma and `and` in `1, 2, and 3`. */
function bareList(parts: readonly Part[], depth: number): Answer | null {
  const members = membersOf(parts, depth);
  if (members?.length === 1) return members[0];
  return members === null || members.length === 0 ? null : namedTogether(list('', '', members));
}

function membersOf(parts: readonly Part[], depth: number): Answer[] | null {
  const members: Answer[] = [];
  if (parts.length > MAX_MEMBERS + 1) return null;
  for (const { tokens } of parts.filter((part) => part.tokens.length > 0 && !isCondition(part.tokens))) {
    const answer = answerOf(tokens, depth + 1);
    if (answer === null) return null;
    const isPair = tokens.some((token) => isSymbol(token, '±'));
    if (isPair && answer.kind === 'list' && answer.open === '')
      members.push(...answer.members.map((one) => named(one, answer.name)));
    else members.push(answer);
  }
  return members.length > MAX_MEMBERS ? null : members;
}

/** Returns whether a member of a list is a condition, such as `k \in \mathbb{Z}`, and not an answer. */
const isCondition = (tokens: readonly Token[]): boolean =>
  isSymbol(tokens.at(-2), '∈') &&
  /^set [ZN]$/.test(tokens[tokens.length - 1].text) &&
  nameOf(tokens.slice(0, -2)) !== null;

const named = (answer: Answer, name: string | null): Answer =>
  answer.kind === 'relation' || answer.name !== null ? answer : { ...answer, name };

/** Moves a name from all members, or from the first alone, to the list: `n = 1, 2, 3` is a list with the name n. */
function namedTogether(of: ListAnswer): ListAnswer {
  const names = of.members.map(({ name }) => name);
  const [first, ...others] = names;
  if (first === null || others.some((name) => name !== null && name !== first)) return of;
  return {
    ...of,
    name: first,
    members: of.members.map((member) => (member.kind === 'relation' ? member : { ...member, name: null })),
  };
}

function joinedOf(tokens: readonly Token[], depth: number): Answer | null {
  for (const sign of ['∪', '∖', '∩']) {
    const parts = split(tokens, [sign]);
    if (parts === null || parts.length === 1) continue;
    const members = membersOf(parts, depth);
    return members === null || members.length !== parts.length ? null : list(sign, sign, members);
  }
  return null;
}

/** Parses an answer with a label before a colon, such as `Alice: 3`. */
function titledOf(tokens: readonly Token[], depth: number): Answer | null {
  const isTitled = tokens[0].kind === 'letters' && isSymbol(tokens[1], ':') && isWord(tokens[0].text);
  const answer = isTitled ? answerOf(tokens.slice(2), depth + 1) : null;
  return answer && named(answer, tokens[0].text.toLowerCase());
}

const COMPARISONS = ['=', '<', '<=', '>', '>=', '!=', '≈', '∈'];

function relationOf(tokens: readonly Token[], depth: number): Answer | null {
  const parts = split(tokens, COMPARISONS);
  if (parts === null || parts.length < 2) return null;
  const signs = parts.slice(0, -1).map(({ separator }) => separator!.text);
  const sides = parts.map((part) => part.tokens);
  if (signs.some((sign) => sign !== '=' && sign !== '≈' && sign !== '∈')) return inequalityOf(sides, signs, depth);
  // An approximation after the exact value, as in `x = \pi ≈ 3.14`, is dropped.
  const end = signs.indexOf('≈');
  return equationOf(end > 0 ? sides.slice(0, end + 1) : sides, depth);
}

function equationOf(sides: readonly (readonly Token[])[], depth: number): Answer | null {
  const [first, last] = [sides[0], sides[sides.length - 1]];
  const name = nameOf(first);
  const value = name === null ? null : answerOf(last, depth + 1);
  if (value !== null && !isProduct(name!, value)) return withName(value, name!);
  const nameBehind = sides.length === 2 ? nameOf(last) : null;
  const before = nameBehind === null ? null : answerOf(first, depth + 1);
  if (before !== null && !isProduct(nameBehind!, before)) return withName(before, nameBehind!);
  return chainOf(sides, depth);
}

/** Returns whether capitals are a product, as in PV = nRT, whose right side has variables. In AB = 4 they are a length. */
const isProduct = (name: string, value: Answer): boolean =>
  /^[A-Z]{2,3}$/.test(name) && value.kind === 'value' && variablesOf(value.tree).size > 0;

/** Sets the name of an answer. In `(x, y) = (1, 2)` each member of the tuple gets one of the names. */
function withName(answer: Answer, name: string): Answer {
  const names = /^\((.*)\)$/.exec(name)?.[1].split(',');
  if (names === undefined) return named(answer, name);
  if (answer.kind !== 'list') return answer;
  const isWhole = answer.open === '(' && answer.members.length === names.length;
  if (isWhole) return { ...answer, members: answer.members.map((member, i) => named(member, names[i])) };
  return { ...answer, members: answer.members.map((member) => withName(member, name)) };
}

/** Parses a chain of equations. Without variables, as in 2 · 3 + 1 = 6 + 1 = 7, the last side is the answer. */
function chainOf(sides: readonly (readonly Token[])[], depth: number): Answer | null {
  const trees = sides.map((side) => parseExpression(side));
  const relations: Relation[] = [];
  for (let i = 1; i < trees.length; i++) {
    const [left, right] = [trees[i - 1], trees[i]];
    if (left === null || right === null) return null;
    relations.push({ left, comparison: '=', right });
  }
  const isCalculation = trees.every((tree) => tree !== null && variablesOf(tree).size === 0);
  return isCalculation
    ? answerOf(sides[sides.length - 1], depth + 1)
    : { kind: 'relation', name: null, relations, interval: null };
}

function inequalityOf(sides: readonly (readonly Token[])[], signs: readonly string[], depth: number): Answer | null {
  const trees = sides.map((side) => (infinityOf(side) === null ? parseExpression(side) : null));
  const relations: Relation[] = [];
  for (const [i, sign] of signs.entries()) {
    const [left, right] = [trees[i], trees[i + 1]];
    if (left !== null && right !== null) relations.push({ left, comparison: sign as Comparison, right });
  }
  const interval = intervalOf(sides, signs, depth);
  if (interval === null && relations.length < signs.length) return null;
  return { kind: 'relation', name: null, relations, interval };
}

/** Converts an inequality of one variable to an interval: x < 5, 5 > x, or 1 ≤ x < 5 with constant bounds. */
function intervalOf(sides: readonly (readonly Token[])[], signs: readonly string[], depth: number): ListAnswer | null {
  const at = sides.findIndex((side) => nameOf(side) !== null);
  const isOneSided = sides.length === 2 && at >= 0;
  if (!isOneSided && !(sides.length === 3 && at === 1 && signs[0][0] === signs[1][0])) return null;
  const bounds = sides.map((side, i) => (i === at ? null : boundOf(side, depth)));
  if (bounds.some((bound, i) => bound === null && i !== at)) return null;
  let [low, high] = [end(bounds[at - 1], signs[at - 1], -1), end(bounds[at + 1], signs[at], 1)];
  if (signs[0] === '!=' || signs[0] === '=') return null;
  if (signs[0][0] === '>') [low, high] = [end(bounds[at + 1], signs[at], -1), end(bounds[at - 1], signs[at - 1], 1)];
  const interval = list(low.isClosed ? '[' : '(', high.isClosed ? ']' : ')', [low.bound, high.bound]);
  return { ...interval, name: nameOf(sides[at]) };
}

function boundOf(tokens: readonly Token[], depth: number): Answer | null {
  const answer = answerOf(tokens, depth + 1);
  if (answer?.kind === 'infinity') return answer;
  return answer?.kind === 'value' && variablesOf(answer.tree).size === 0 ? answer : null;
}

const end = (bound: Answer | null | undefined, sign: string | undefined, side: 1 | -1) => ({
  bound: bound ?? ({ kind: 'infinity', name: null, sign: side } as const),
  isClosed: sign?.endsWith('=') === true && bound?.kind === 'value',
});

/** Parses `a \pm b` as a list of the two numbers a + b and a − b. */
function bothSigns(tokens: readonly Token[], depth: number): Answer | null {
  if (!tokens.some((token) => isSymbol(token, '±'))) return null;
  const opposite: Readonly<Record<string, string>> = { '+': '-', '-': '+' };
  const members = ['+', '-'].map((sign) => {
    const chosen = tokens.map((token) => {
      if (isSymbol(token, '±')) return { ...token, text: sign };
      return isSymbol(token, '∓') ? { ...token, text: opposite[sign] } : token;
    });
    return answerOf(chosen, depth + 1);
  });
  return members.some((member) => member === null) ? null : list('', '', members as Answer[]);
}

function simpleOf(tokens: readonly Token[], depth: number): Answer | null {
  if (tokens.length === 1 && tokens[0].kind === 'letters' && isWord(tokens[0].text)) return null;
  return bracketedOf(tokens, depth) ?? parseMatrix(tokens) ?? ratioOf(tokens) ?? parseMeasure(tokens);
}

function bracketedOf(tokens: readonly Token[], depth: number): Answer | null {
  const found = bracketed(tokens);
  if (found === null || (found.open === '{') !== (found.close === '}')) return null;
  const { open, close, inner } = found;
  if (inner.length === 0) return open === '\\{' ? list(open, close, []) : null;
  const separator = split(inner, [';'])?.length === 1 ? [','] : [';'];
  const parts = split(inner, open === '\\{' || open === '{' ? [...separator, 'and', 'or'] : separator);
  if (parts === null) return null;
  const described = open === '\\{' ? setBuilder(inner, depth) : null;
  if (described !== null) return described;
  if (open === '{') return answerOf(inner, depth + 1);
  if (parts.length === 1 && open !== '\\{') return wrapped(inner, depth);
  const members = membersOf(parts, depth);
  return members === null ? null : list(open, close, members);
}

/** Parses a set that a condition defines, such as {x | 1 < x < 2}, as an interval. */
function setBuilder(inner: readonly Token[], depth: number): Answer | null {
  const at = inner.findIndex((token) => isSymbol(token, '|', ':'));
  if (at < 1 || nameOf(inner.slice(0, at)) === null) return null;
  const condition = answerOf(inner.slice(at + 1), depth + 1);
  return condition?.kind === 'relation' ? condition.interval : null;
}

/** Parses a matrix, a set or an interval in superfluous parentheses; those around a number belong to the expression. */
function wrapped(inner: readonly Token[], depth: number): Answer | null {
  const answer = parseMatrix(inner) ?? joinedOf(inner, depth) ?? bracketedOf(inner, depth);
  return answer?.kind === 'list' ? answer : null;
}

function ratioOf(tokens: readonly Token[]): Answer | null {
  const parts = split(tokens, [':']);
  if (parts === null || parts.length < 2 || parts.length > MAX_MEMBERS) return null;
  const members = parts.map((part) => parseExpression(part.tokens));
  return members.some((member) => member === null)
    ? null
    : { kind: 'ratio', name: null, members: members.filter((member) => member !== null) };
}
