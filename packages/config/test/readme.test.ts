// Runs every TypeScript block of the README in a folder with its YAML blocks. An expression followed by `// value` must give that
// value.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as library from '../src/index.js';
import { temporaryTree } from './temporary-tree.js';
import { clearResolver } from '../src/interpolation/resolvers.js';

const readme = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8');
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({
  language,
  text: text!,
}));

const files = Object.fromEntries(
  blocks
    .filter(({ language, text }) => language === 'yaml' && text.startsWith('# conf/'))
    .map(({ text }): [string, string] => [text.slice(2, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)]),
);

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
  ...args: string[]
) => (...values: unknown[]) => Promise<unknown>;

/** Turns a block into a function body: imports become arguments, `expression; // value` lines become comparisons. */
function runnable(text: string): string {
  return text
    .replace(/^import \{([^}]*)\} from '@bowyer\/config';$/gm, 'const {$1} = library;')
    .replace(/\['conf'\]/g, '[folder]')
    .replace(
      /^(?!const |import )(\S.*); \/\/ (.*)$/gm,
      (_, expression: string, shown: string) => `expect(${expression}).toEqual(${shownValue(shown)});`,
    );
}

/** Reads the value at the start of a comment; an explanation may follow a colon after it. */
function shownValue(comment: string): string {
  const literal = /^('[^']*'|\[\[?.*\]|\{.*\}|\d+)/.exec(comment)?.[0];
  if (literal === undefined) throw new Error(`README: '// ${comment}' shows no value`);
  return literal.startsWith('[') ? literal.slice(0, literal.lastIndexOf(']') + 1) : literal;
}

afterAll(() => clearResolver('double'));

test.each(
  blocks
    .filter(({ language }) => language === 'ts')
    .map(({ text }): [string, string] => [
      text.split('\n').find((line) => /\/\//.test(line)) ?? text.slice(0, 40),
      text,
    ]),
)('%s', async (_, text) => {
  const folder = path.join(temporaryTree(files), 'conf');
  await new AsyncFunction('library', 'folder', 'expect', runnable(text))(library, folder, expect);
});

test('the error text shown for validation is the one given', async () => {
  const folder = path.join(temporaryTree(files), 'conf');
  const schema = { properties: { agent: { additionalProperties: false, properties: { name: {}, lr: {}, clip: {} } } } };
  const typo = library.compose({ configDirs: [folder], configName: 'config', overrides: ['+agent.clpi=0.2'] });
  const shown = blocks.find(({ language, text }) => language === 'text' && text.startsWith('Unknown config key'))!.text;
  expect(`${(await library.findViolations(typo, schema))[0]!.message}\n`).toBe(shown);
});
