// The tests of a draft of JSON Schema against the masks: of each keyword, how many schemas compile; of those, how many valid instances can
// be written, and that no invalid one can. An instance is written as compact JSON, token by token, each looked up in the mask.
//
//   node --conditions=source --import tsx packages/text/benchmarks/json-schema-suite.ts TESTS TOKENIZER [--show]
//
// TESTS: a draft's folder of github.com/json-schema-org/JSON-Schema-Test-Suite, e.g. tests/draft2020-12; files below it are left out, and
// npm's json-schema-test-suite stops at draft 4. TOKENIZER: the folder of a tokenizer.json. --show prints valid instances that cannot be
// written. Fails where an invalid instance can, or without any test.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type CompiledConstraint,
  ConstraintCompiler,
  GrammarError,
  jsonValue,
  loadTokenizer,
  TokenVocabulary,
  UnsupportedSchemaError,
} from '@bowyer/text';

interface Group {
  description: string;
  schema: unknown;
  tests: readonly { description: string; data: unknown; valid: boolean }[];
}

interface Counts {
  schemas: number;
  compiled: number;
  valid: number;
  written: number;
  invalid: number;
  wronglyWritten: number;
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { show: { type: 'boolean' } } });
const [folder, tokenizerDir] = positionals;
if (tokenizerDir === undefined)
  throw new Error("two arguments: the folder of a draft's tests, and that of a tokenizer");
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
if (files.length === 0)
  throw new Error(
    `${folder} has no .json files of tests\n  give the folder of a draft, e.g. JSON-Schema-Test-Suite/tests/draft2020-12`,
  );
const tokenizer = await loadTokenizer(tokenizerDir);
const vocabulary = new TokenVocabulary(tokenizer);
const compiler = new ConstraintCompiler(vocabulary);
const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));

const none: Counts = { schemas: 0, compiled: 0, valid: 0, written: 0, invalid: 0, wronglyWritten: 0 };
const counted = files.map((name): [string, Counts] => [basename(name, '.json'), countsOf(name)]);
const all = counted.map(([, counts]) => counts).reduce(sum, none);
console.log('| keyword | schemas | compile | valid instances that can be written | invalid instances that can be |');
console.log('|---|---|---|---|---|');
for (const [keyword, counts] of [...counted, ['all', all] as const]) console.log(row(keyword, counts));
process.exitCode = all.wronglyWritten > 0 ? 1 : 0;

function countsOf(file: string): Counts {
  const groups = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[];
  return groups.map((group) => countsOfGroup(file, group)).reduce(sum, none);
}

function countsOfGroup(file: string, { description, schema, tests }: Group): Counts {
  const compiled = compiledSchema(schema);
  if (compiled === null) return { ...none, schemas: 1 };
  const judged = tests.map((test) => ({ ...test, isWritten: canBeWritten(JSON.stringify(test.data), compiled) }));
  for (const { valid, isWritten, description: what, data } of judged)
    if (isWritten !== valid && (values.show || isWritten))
      console.log(
        `${isWritten ? 'INVALID, AND WRITTEN' : 'not written'}: ${file}, ${description}, ${what}: ${JSON.stringify(data)}`,
      );
  const count = (test: (each: (typeof judged)[number]) => boolean) => judged.filter(test).length;
  return {
    schemas: 1,
    compiled: 1,
    valid: count(({ valid }) => valid),
    written: count(({ valid, isWritten }) => valid && isWritten),
    invalid: count(({ valid }) => !valid),
    wronglyWritten: count(({ valid, isWritten }) => !valid && isWritten),
  };
}

/** Compiles a schema; null where it is refused. */
function compiledSchema(schema: unknown): CompiledConstraint | null {
  try {
    return compiler.compile(jsonValue(schema));
  } catch (error) {
    if (error instanceof UnsupportedSchemaError || error instanceof GrammarError) return null;
    throw error;
  }
}

/** Checks whether the masks allow each token of the text, and its end. */
function canBeWritten(text: string, compiled: CompiledConstraint): boolean {
  const constraint = compiled.start();
  for (const id of tokenizer.encode(text)) {
    constraint.allowed(mask);
    if (!((mask[id >>> 5] >>> (id & 31)) & 1)) return false;
    constraint.accept(id);
  }
  return constraint.canEnd;
}

function sum(a: Counts, b: Counts): Counts {
  const names = Object.keys(none) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Record<keyof Counts, number>;
}

function row(keyword: string, { schemas, compiled, valid, written, invalid, wronglyWritten }: Counts): string {
  return `| ${keyword} | ${schemas} | ${compiled} | ${written} of ${valid} | ${wronglyWritten} of ${invalid} |`;
}
