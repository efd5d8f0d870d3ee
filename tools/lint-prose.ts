// Finds words that the glossary of CONTRIBUTING.md replaces and phrases that need a second reading, in comments and strings of
// TypeScript and in Markdown and YAML, and lines of documentation that are too long. Prints FILE:LINE of each finding and the
// number of findings in each package; with --strict a finding is an error. Text of games, fixtures, output in blocks of `text`
// and `json`, and names in `code` are not prose. A line with "prose-lint: off" is skipped. An option has one name: flat names are
// for those who come from version 0.2, ArCHer and AgentGym, and our own texts have paths.
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

type FlatPath = string | { path: string };

/**
 * Makes the rule for flat names: with a value everywhere, and without one where the name differs from that of the option. `task` is
 * also a config group, and `agent_type` ArCHer's way to choose one; `x` is also a letter.
 */
function flatRule(): RegExp {
  const table = JSON.parse(readFileSync(join(repository, 'configs/flat-names.json'), 'utf8')) as Record<
    string,
    FlatPath[]
  >;
  const pathsOf = (name: string) => table[name]!.map((one) => (typeof one === 'string' ? one : one.path));
  const known = ['*', 'task', 'agent_type', 'x', ...Object.keys(table).flatMap(pathsOf)];
  const names = Object.keys(table).filter((name) => !known.includes(name));
  // `chat_template` and `chat_template_kwargs` are also fields of Hugging Face's files and of requests.
  const isOther = (name: string) =>
    /^(?!chat_template).*_/.test(name) && pathsOf(name).every((path) => !path.endsWith(`.${name}`));
  const before = '(?<![\\w.+/:@$"{~?&-]|\\[|(?:ArCHer|AgentGym)[\'’]s `?)';
  return new RegExp(
    `${before}(?:(?:${names.join('|')})(?==[^="\\s(])|(?:${names.filter(isOther).join('|')})(?![\\w(-]|\\.\\w))`,
    'g',
  );
}
const flatName = flatRule();

/** Texts that are about flat names, about other programs' keys, or about the past. */
const ofFlatNames =
  /^(?:CHANGELOG|changes\/|docs\/(?:configs|flat-names|decisions\/(?:units|keys))\.md|packages\/(?:config|runner\/src\/config\/(?:originals|flat-names-of-units)|algorithms\/src\/run\/algorithm-unit)\b)/;

/** Lists the options that messages, comments and pages name by flat names. */
function flatNames(path: string, text: string): Finding[] {
  const name = relative(repository, path);
  if (/\.test\.ts$/.test(name) || ofFlatNames.test(name) || !/^packages\/[^/]+\/src\/|\.(?:md|yaml)$/.test(name))
    return [];
  const shown = path.endsWith('.ts')
    ? typeScriptProse(path, text, true, false)
    : path.endsWith('.md')
      ? keep(text, /^```(?:sh|bash)\n[\s\S]*?^```|(?:[A-Z]\w+['’]s )?`[^`\n]+`/gm)
      : keep(text, /(?:^|\s)#.*/gm);
  return found(name, text, shown, [{ pattern: flatName, instead: 'the path of the option' }]);
}

const keep = (text: string, pattern: RegExp): string => {
  let kept = '';
  for (const { 0: part, index } of text.matchAll(pattern)) kept += blank(text.slice(kept.length, index), /.+/g) + part;
  return kept;
};

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

function typeScriptProse(path: string, text: string, strings: boolean, isProse = true): string {
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
    const isCode = !isProse && !/[\s=]/.test(node.getText());
    if (strings && isText && isOurs && !isCode) kept.set(node.getStart() + 1, node.getEnd() - 1);
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  let prose = '';
  for (const [start, end] of [...kept].sort(([a], [b]) => a - b)) {
    if (start < prose.length) continue;
    prose += text.slice(prose.length, start).replace(/[^\n]/g, ' ') + text.slice(start, end);
  }
  return isProse ? blank(prose, /`[^`\n]*`/g) : prose;
}

/** Lists the positions where the prose of a text breaks a rule. */
function broken(path: string, text: string, rules: readonly Rule[], options?: { strings: boolean }): Finding[] {
  const mentioned = rules.filter(({ pattern }) => text.search(pattern) >= 0);
  if (mentioned.length === 0) return []; // avoids parsing, which takes time
  return found(relative(repository, path), text, proseOf(path, text, options), mentioned);
}

function found(name: string, text: string, prose: string, rules: readonly Rule[]): Finding[] {
  const lines = text.split('\n');
  return rules.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].flatMap((match) => {
      const line = prose.slice(0, match.index).split('\n').length;
      if (lines[line - 1]?.includes('prose-lint: off')) return [];
      const word = match[0].replace(/[\s/*#]+/g, ' ');
      return [{ place: `${name}:${line}`, message: `'${word}': write '${instead}'` }];
    }),
  );
}

export function findings(path: string, text: string, rules: readonly Rule[]): Finding[] {
  const name = relative(repository, path);
  const isGame = name.startsWith('packages/envs/');
  const all = [
    ...broken(path, text, rules),
    ...broken(path, text, phrases, { strings: !isGame }),
    ...flatNames(path, text),
  ];
  if (/\.(ts|yaml)$/.test(path)) all.push(...broken(path, text, fragments, { strings: false }));
  if (!path.endsWith('.md')) return all;
  // Output is quoted as it was printed.
  const own = text.replace(/^```(?:text|json)\n[\s\S]*?^```/gm, (block) => block.replace(/.+/g, '')).split('\n');
  own.forEach((line, i) => {
    const tooLong =
      [...line].length > maxColumns && !line.trimStart().startsWith('|') && !/^\S*https?:\S+$/.test(line.trim());
    if (tooLong)
      all.push({ place: `${name}:${i + 1}`, message: `${[...line].length} columns, ${maxColumns} are allowed` });
  });
  return all;
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
