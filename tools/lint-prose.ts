// Finds words that the glossary of CONTRIBUTING.md replaces, in comments and strings of TypeScript and in Markdown and YAML, and lines
// of documentation that are too long. Prints FILE:LINE; with --strict a finding is an error.
// Text of games, fixtures, output in blocks of `text` and `json`, and names in `code` are not prose. A line with "prose-lint: off" is not read.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

const repository = resolve(import.meta.dirname, '..');
const maxColumns = 130;
const skipped =
  /(^|\/)(node_modules|dist|coverage|outputs|multirun|fixtures|[a-z0-9-]+-fixtures|attributes|test-program|\.[^/]+|api)(\/|$)/;

interface Finding {
  place: string;
  message: string;
}

interface Rule {
  pattern: RegExp;
  instead: string;
}

/** The glossary is a table of CONTRIBUTING.md: what to write, and what it replaces. */
export function glossary(contributing: string): Rule[] {
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

/** The text with everything but prose replaced by spaces, so that places stay. */
export function proseOf(path: string, text: string): string {
  if (path.endsWith('.ts')) return typeScriptProse(path, text);
  const withoutCode = path.endsWith('.md')
    ? blank(blank(text, /```[\s\S]*?```/g), /<!-- glossary -->[\s\S]*?<!-- \/glossary -->/g)
    : text;
  return blank(withoutCode, /`[^`\n]*`/g);
}

const blank = (text: string, pattern: RegExp) => text.replace(pattern, (found) => found.replace(/[^\n]/g, ' '));

function typeScriptProse(path: string, text: string): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const kept = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ])
      kept.set(range.pos, range.end);
    // What a test compares with is often another program's text; its titles and comments are ours.
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && !path.endsWith('.test.ts')) kept.set(node.getStart(), node.getEnd());
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

export function findings(path: string, text: string, rules: readonly Rule[]): Finding[] {
  const name = relative(repository, path);
  const lines = text.split('\n');
  const mentioned = rules.filter(({ pattern }) => text.search(pattern) >= 0);
  const prose = mentioned.length > 0 ? proseOf(path, text) : ''; // parsing takes time
  const found: Finding[] = [];
  const lineAt = (index: number) => prose.slice(0, index).split('\n').length;
  for (const { pattern, instead } of mentioned) {
    for (const match of prose.matchAll(pattern)) {
      const line = lineAt(match.index);
      if (lines[line - 1]?.includes('prose-lint: off')) continue;
      const word = match[0].replace(/\s+/g, ' ');
      found.push({ place: `${name}:${line}`, message: `'${word}': write '${instead}'` });
    }
  }
  if (!path.endsWith('.md')) return found;
  // Output is shown as it was printed.
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
  if (all.length > 0)
    console.log(`${all.length} findings${strict ? '' : ', reported only (--strict makes them errors)'}`);
  process.exitCode = strict && all.length > 0 ? 1 : 0;
}
