// Finds words that the glossary of CONTRIBUTING.md replaces and phrases that need a second reading, in comments and strings of
// TypeScript and in Markdown and YAML, and lines of documentation that are too long. Prints FILE:LINE of each finding and the
// number of findings in each package; with --strict a finding is an error. Text of games, fixtures, output in blocks of `text`
// and `json`, and names in `code` are not prose. A line with "prose-lint: off" is skipped.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

const repository = resolve(import.meta.dirname, '..');
const maxColumns = 130;
const skipped =
  /(^|\/)(node_modules|dist|coverage|outputs|multirun|fixtures|[a-z0-9-]+-fixtures|attributes|test-program|\.[^/]+|api|site\/reference)(\/|$)/;

interface Finding {
  place: string;
  message: string;
}

interface Rule {
  pattern: RegExp;
  instead: string;
}

/** "There is no X" and comparisons ("is no longer", "are no better") are plain English. */
const comparison = '(?:longer|more|less|fewer|other|different|[a-z]+er|better|worse)\\b';

/** Phrases that need a second reading. The text of games, which are the strings of packages/envs, may have them. */
const phrases: readonly Rule[] = [
  { pattern: /(?<![\w’'”)\]],? )\bOf (?!course\b)[^\s]+/g, instead: 'The … of …' },
  {
    pattern: new RegExp(`(?<!\\bthere[\\s/*#]+)\\b(?:is|are)[\\s/*#]+no[\\s/*#]+(?!${comparison})[a-z]+`, 'gi'),
    instead: 'is not a …',
  },
];

const gap = '[\\s/*#]+';

/** Sentences of comments that have no subject or no main clause. A question is a sentence, and so is "Where …, …". */
const fragments: readonly Rule[] = [
  { pattern: /\bWhat\b(?![^.]*\?)[\s/*#]+\S+/g, instead: 'The …' },
  {
    pattern: new RegExp(`\\b(?:Where|Whose)\\b(?=[^,.;:?]*(?:[.;:](?:\\s|$)|\\*/))${gap}\\S+`, 'g'),
    instead: 'The place …',
  },
];

/** Reads the glossary, a table in CONTRIBUTING.md: what to write, and what it replaces. */
function glossary(contributing: string): Rule[] {
  const table = /<!-- glossary -->([\s\S]*)<!-- \/glossary -->/.exec(contributing)?.[1] ?? '';
  const rows = [...table.matchAll(/^\| (?!write \|)([^|]+) \| ([^|]+) \|$/gm)];
  if (rows.length === 0)
    throw new Error('CONTRIBUTING.md has no glossary between <!-- glossary --> and <!-- /glossary -->');
  return rows.map(([, instead, words]) => {
    const alternatives = words.split(', ').map((word) => word.trim().replaceAll(' ', '\\s+'));
    return { pattern: new RegExp(`\\b(${alternatives.join('|')})s?\\b`, 'gi'), instead: instead.trim() };
  });
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (skipped.test(relative(repository, path))) continue;
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.(ts|md|yaml)$/.test(entry.name)) yield path;
  }
}

/**
 * Replaces everything except prose by spaces, so that positions do not change.
 *
 * @param strings whether string literals of TypeScript are prose
 */
function proseOf(path: string, text: string, { strings = true } = {}): string {
  if (path.endsWith('.ts')) return typeScriptProse(path, text, strings);
  const withoutCode = path.endsWith('.md')
    ? blank(blank(text, /```[\s\S]*?```/g), /<!-- glossary -->[\s\S]*?<!-- \/glossary -->/g)
    : text;
  return blank(withoutCode, /`[^`\n]*`/g);
}

const blank = (text: string, pattern: RegExp) => text.replace(pattern, (found) => found.replace(/[^\n]/g, ' '));

/** Recognizes a test's title: the first argument of `test`, `describe`, `test.each(…)` and the like. */
function isTitle(node: ts.Node): boolean {
  if (ts.isSourceFile(node) || !ts.isCallExpression(node.parent) || node.parent.arguments[0] !== node) return false;
  return /^(?:test|it|describe)\b/.test(node.parent.expression.getText());
}

function typeScriptProse(path: string, text: string, strings: boolean): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const kept = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ])
      kept.set(range.pos, range.end);
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    // Tests often compare with another program's text, but their titles are ours.
    const isOurs = !path.endsWith('.test.ts') || isTitle(node);
    // The quotes are excluded, since those of a template would look like `code`.
    if (strings && isText && isOurs) kept.set(node.getStart() + 1, node.getEnd() - 1);
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  let prose = '';
  for (const [start, end] of [...kept].sort(([a], [b]) => a - b)) {
    if (start < prose.length) continue;
    prose += text.slice(prose.length, start).replace(/[^\n]/g, ' ') + text.slice(start, end);
  }
  return blank(prose, /`[^`\n]*`/g);
}

/** Lists the positions where the prose of a text breaks a rule. */
function broken(path: string, text: string, rules: readonly Rule[], options?: { strings: boolean }): Finding[] {
  const mentioned = rules.filter(({ pattern }) => text.search(pattern) >= 0);
  if (mentioned.length === 0) return []; // avoids parsing, which takes time
  const prose = proseOf(path, text, options);
  const lines = text.split('\n');
  return mentioned.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].flatMap((match) => {
      const line = prose.slice(0, match.index).split('\n').length;
      if (lines[line - 1]?.includes('prose-lint: off')) return [];
      const word = match[0].replace(/[\s/*#]+/g, ' ');
      return [{ place: `${relative(repository, path)}:${line}`, message: `'${word}': write '${instead}'` }];
    }),
  );
}

export function findings(path: string, text: string, rules: readonly Rule[]): Finding[] {
  const name = relative(repository, path);
  const isGame = name.startsWith('packages/envs/');
  const found = [...broken(path, text, rules), ...broken(path, text, phrases, { strings: !isGame })];
  if (/\.(ts|yaml)$/.test(path)) found.push(...broken(path, text, fragments, { strings: false }));
  if (!path.endsWith('.md')) return found;
  // Output is quoted as it was printed.
  const own = text.replace(/^```(?:text|json)\n[\s\S]*?^```/gm, (block) => block.replace(/.+/g, '')).split('\n');
  own.forEach((line, i) => {
    const tooLong =
      [...line].length > maxColumns && !line.trimStart().startsWith('|') && !/^\S*https?:\S+$/.test(line.trim());
    if (tooLong)
      found.push({ place: `${name}:${i + 1}`, message: `${[...line].length} columns, ${maxColumns} are allowed` });
  });
  return found;
}

if (process.argv[1] === import.meta.filename) {
  const rules = glossary(readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8'));
  const all = [...filesBelow(repository)].flatMap((path) => findings(path, readFileSync(path, 'utf8'), rules));
  for (const { place, message } of all) console.log(`${place}: ${message}`);
  const strict = process.argv.includes('--strict');
  const counts = new Map<string, number>();
  for (const { place } of all) {
    const folder = /^(?:packages\/[^/]+|[^/:]+)/.exec(place)![0];
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of counts) console.log(`${folder}: ${count}`);
  if (all.length > 0)
    console.log(`${all.length} findings${strict ? '' : ', reported only (--strict makes them errors)'}`);
  process.exitCode = strict && all.length > 0 ? 1 : 0;
}
