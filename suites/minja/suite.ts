// Runs the syntax tests of google/minja, which are a C++ file, on the templates of @bowyer/text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from '@bowyer/text';
import { CppReader, UnreadError } from '../cpp.js';
import type { CaseResult, Suite } from '../suite.js';

/** A call of `render` in the file: its arguments, and the expected text, or null if it must throw. */
interface Call {
  readonly template: string;
  readonly bindings: Record<string, unknown>;
  readonly options: string;
  readonly expected: string | null;
  readonly line: number;
}

/** Reads texts, lists in braces and calls, the parts of C++ that the tests use. */
class Reader extends CppReader {
  /** Reads the arguments of EXPECT_EQ, or of `render(` in EXPECT_THAT. */
  expectation(): Omit<Call, 'line'> {
    const expected = this.text();
    this.take(',');
    this.take('render(');
    return { ...this.#given(), expected };
  }

  thrown(): Omit<Call, 'line'> {
    return { ...this.#given(), expected: null };
  }

  #given(): Pick<Call, 'template' | 'bindings' | 'options'> {
    const template = this.text();
    this.take(',');
    const bindings = this.value();
    if (typeof bindings !== 'object' || bindings === null) throw new UnreadError('bindings');
    this.take(',');
    const options = this.matched(/\{\s*\}|\w+/y) ?? '';
    this.take(')');
    return { template, bindings: Array.isArray(bindings) ? {} : (bindings as Record<string, unknown>), options };
  }

  /** Reads a value of nlohmann's JSON: pairs in braces that begin with a text are an object. */
  value(): unknown {
    if (this.matched(/json::array\(\s*\)/y) !== null) return [];
    if (this.matched(/json::object\(\s*\)/y) !== null) return {};
    const call = this.matched(/json(?:::array|::object|::parse)?\s*\(/y);
    if (call !== null) {
      const inner = call.includes('parse') ? (JSON.parse(this.text()) as unknown) : this.value();
      this.take(')');
      return call.includes('array') && !Array.isArray(inner) ? Object.entries(inner as object) : inner;
    }
    this.matched(/json\s*(?=\{)/y);
    if (this.matched(/\{/y) !== null) return this.#list();
    const word = this.matched(/true|false|nullptr|-?\d+(?:\.\d+)?/y);
    if (word !== null) return word === 'nullptr' ? null : (JSON.parse(word) as unknown);
    return this.text();
  }

  #list(): unknown {
    const items: unknown[] = [];
    while (this.matched(/\}/y) === null) {
      items.push(this.value());
      this.matched(/,/y);
    }
    const isPair = (item: unknown) => Array.isArray(item) && item.length === 2 && typeof item[0] === 'string';
    return items.length > 0 && items.every(isPair) ? Object.fromEntries(items as [string, unknown][]) : items;
  }
}

/** Returns whether a template is rendered equally with and without trim_blocks and lstrip_blocks, which Bowyer always applies. */
const isWithoutEdges = (template: string): boolean => !/(?:^|[^-])[%#]\}\n|(?:^|\n)[ \t]+\{[%#](?!-)/.test(template);

function judged({ template, bindings, options, expected, line }: Call): Omit<CaseResult, 'name'> {
  if (options !== 'lstrip_trim_blocks' && !isWithoutEdges(template)) return { outcome: 'skipped' };
  let found: string | null;
  let problem = '';
  try {
    found = new Template(template).render(bindings).text;
  } catch (error) {
    found = null;
    problem = (error as Error).message;
  }
  if (found === expected) return { outcome: 'passed' };
  const shown = found === null ? problem : JSON.stringify(found);
  return {
    outcome: 'failed',
    detail: `line ${line}: ${shown}, not ${JSON.stringify(expected)}: ${JSON.stringify(template)}`,
  };
}

export default {
  title: "minja's syntax tests",
  against: 'chat templates',
  sources: [
    {
      github: 'google/minja',
      commit: '021c2293c187789ef13d56c6cfd89c9b134fd80f',
      version: '22 September 2025',
      paths: ['tests'],
    },
  ],
  inCheck: true,
  notes:
    'The calls of `render` in test-syntax.cpp are read by a small reader of C++; the golden files of chat templates need ' +
    'templates of models at Hugging Face, some behind licences, and are not run.',
  run: ({ folders: [folder] }) => {
    const source = readFileSync(join(folder, 'tests/test-syntax.cpp'), 'utf8');
    const body = source.slice(source.indexOf('TEST('));
    const first = source.length - body.length;
    const calls = [...body.matchAll(/EXPECT_EQ\(|EXPECT_THAT\(\s*\[\]\(\)\s*\{\s*render\(/g)];
    const cases = calls.map(({ 0: start, index }, i): CaseResult => {
      const at = first + index + start.length;
      const line = source.slice(0, at).split('\n').length;
      const reader = new Reader(source, at);
      try {
        const call = start === 'EXPECT_EQ(' ? reader.expectation() : reader.thrown();
        const setting = call.options === 'lstrip_trim_blocks' ? '' : ', without trimming';
        const result = judged({ ...call, line });
        const kind = result.outcome === 'skipped' ? `other settings: ` : '';
        return { ...result, name: `${kind}${i + 1} ${JSON.stringify(call.template).slice(0, 80)}${setting}` };
      } catch (error) {
        if (!(error instanceof UnreadError) && !(error instanceof SyntaxError)) throw error;
        return { name: `unread: ${i + 1} at line ${line}`, outcome: 'skipped', detail: error.message };
      }
    });
    return Promise.resolve(cases);
  },
} satisfies Suite;
