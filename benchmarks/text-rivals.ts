// Compares chat templates and tokenizers with other npm packages: whose texts equal Jinja2's, whose ids equal the Rust library's,
// and how long each takes.
//
//   npm install --prefix RIVALS @huggingface/jinja nunjucks @huggingface/tokenizers @mlc-ai/web-tokenizers kitoken tokenizers
//   python packages/text/test/record-chat-templates.py FOLDER_OF_JINJA recording.json --text   (absent: the six templates of the tests)
//   node --conditions=source --import tsx benchmarks/text-rivals.ts RIVALS [recording.json] [FOLDER with tokenizer.json]…
//
// Tokenizers: those of the tests' recordings, and the given ones; texts: the recorded ones and 400 random ones for each, whose
// ids the package `tokenizers` gives, which is the Rust library. A rival that fails on a tokenizer or a text counts as different
// there.
import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Rng } from '@bowyer/core';
import { textTable } from '@bowyer/logging';
import { HuggingFaceTokenizer, Template } from '@bowyer/text';
import { inputsOf, type Recording } from '../packages/text/test/chat-fixtures/compare-recording.js';

const [rivals, recordingFile, ...folders] = process.argv.slice(2);
if (rivals === undefined)
  throw new Error('usage: text-rivals.ts RIVALS [recording.json] [FOLDER]…; see the head of the file');
const tests = fileURLToPath(new URL('../packages/text/test/', import.meta.url));
const readJson = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T;

/* oxlint-disable typescript/no-explicit-any -- the rivals are not installed here, and have no types */
const { resolve: find } = createRequire(pathToFileURL(resolve(rivals, 'package.json')));
const load = async (name: string): Promise<any> => import(pathToFileURL(find(name)).href);

// Chat templates

type Render = (variables: Record<string, unknown>) => string;

async function renderers(): Promise<Record<string, (source: string) => Render>> {
  const jinja = await load('@huggingface/jinja');
  const nunjucks = (await load('nunjucks')).default;
  return {
    '@bowyer/text': (source) => {
      const template = new Template(source);
      return (variables) => template.render(variables).text;
    },
    '@huggingface/jinja': (source) => {
      const template = new jinja.Template(source);
      return (variables) => template.render(variables) as string;
    },
    nunjucks: (source) => {
      const environment = new nunjucks.Environment(null, { autoescape: false, trimBlocks: true, lstripBlocks: true });
      environment.addFilter('tojson', (value: unknown, indent?: number) => JSON.stringify(value, null, indent));
      environment.addGlobal('raise_exception', (message: string) => {
        throw new Error(message);
      });
      const template = nunjucks.compile(source, environment);
      return (variables) => {
        const text = template.render(variables) as string | null;
        if (text === null) throw new Error('no text');
        return text;
      };
    },
  };
}

/** Runs the work at the time of the recordings, since not every renderer accepts a clock. */
async function atRecordedTime(work: () => Promise<void>): Promise<void> {
  const real = globalThis.Date;
  globalThis.Date = class extends real {
    constructor(...given: []) {
      super(...((given.length === 0 ? [2025, 2, 4, 15, 6, 7] : given) as []));
    }
  } as DateConstructor;
  await work();
  globalThis.Date = real;
}

async function compareTemplates({ conversations, config, templates, results }: Recording): Promise<void> {
  const rows: string[][] = [];
  for (const [name, compile] of Object.entries(await renderers())) {
    let [equal, wholeTemplates, count] = [0, 0, 0];
    const started = performance.now();
    for (const [title, source] of Object.entries(templates)) {
      let wrong = 0;
      let render: Render | null = null;
      try {
        render = compile(source);
      } catch {
        // all texts of this template count as missing
      }
      for (const [key, conversation] of Object.entries(conversations))
        for (const asks of [false, true]) {
          const wanted = results[title][key][asks ? 'prompt' : 'whole'].text ?? null;
          const { tools = null, documents = null, variables } = inputsOf(conversation);
          const given = { ...config, messages: conversation.messages, tools, documents, add_generation_prompt: asks };
          count++;
          if (textOf(render, { ...given, ...variables }) === wanted) equal++;
          else wrong++;
        }
      if (wrong === 0) wholeTemplates++;
    }
    const milliseconds = performance.now() - started;
    rows.push([
      name,
      `${wholeTemplates} of ${Object.keys(templates).length}`,
      `${equal} of ${count}`,
      milliseconds.toFixed(0),
    ]);
  }
  console.log(textTable(['renderer', 'templates with every text equal', 'texts equal', 'ms for all'], rows));
}

/** Renders a template; null if it refuses, or cannot be read. */
function textOf(render: Render | null, variables: Record<string, unknown>): string | null | undefined {
  if (render === null) return undefined;
  try {
    return render(variables);
  } catch {
    return null;
  }
}

// Tokenizers

interface Codec {
  encode(text: string): number[];
  decode(ids: number[]): string;
}
type Case = readonly [text: string, ids: readonly number[], decoded: string];

async function codecs(): Promise<Record<string, (definition: Record<string, unknown>) => Promise<Codec> | Codec>> {
  const { Tokenizer } = await load('@huggingface/tokenizers');
  const web = commonJs(find('@mlc-ai/web-tokenizers'));
  const { Kitoken } = await load('kitoken/node');
  const bytesOf = (definition: unknown) => new TextEncoder().encode(JSON.stringify(definition));
  return {
    '@bowyer/text': (definition) => {
      const tokenizer = new HuggingFaceTokenizer(definition, {});
      return {
        encode: (text) => tokenizer.encode(text),
        decode: (ids) => tokenizer.decode(ids, { keepSpecialTokens: true }),
      };
    },
    '@huggingface/tokenizers': (definition) => {
      const tokenizer = new Tokenizer(definition, {});
      return {
        encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
        decode: (ids) =>
          tokenizer.decode(ids, { skip_special_tokens: false, clean_up_tokenization_spaces: false }) as string,
      };
    },
    '@mlc-ai/web-tokenizers': async (definition) => {
      const tokenizer = await web.Tokenizer.fromJSON(bytesOf(definition).buffer);
      return {
        encode: (text) => [...tokenizer.encode(text)],
        decode: (ids) => tokenizer.decode(Int32Array.from(ids)) as string,
      };
    },
    kitoken: (definition) => {
      const tokenizer = new Kitoken(bytesOf(definition));
      return {
        encode: (text) => [...tokenizer.encode(text, true)],
        decode: (ids) => new TextDecoder().decode(tokenizer.decode(Uint32Array.from(ids), true)),
      };
    },
  };
}

/** Loads a package that is declared as an ES module but is CommonJS, so that Node cannot import it. */
function commonJs(path: string): any {
  const module = { exports: {} as any };
  const names = ['exports', 'module', 'require', '__filename', '__dirname'];
  const given = [module.exports, module, createRequire(path), path, dirname(path)];
  new Function(...names, readFileSync(path, 'utf8'))(...given);
  return module.exports;
}

const PIECES =
  "the a is word words don't I'm they're naïve café Straße Ελλάδα ΟΔΟΣ привет 漢字 日本語 한국어 مرحبا नमस्ते ไทย 123 4567 3.14 hello, " +
  'foo_bar (x) [y] <s> </s> [MASK] ABC HELLO İstanbul ﬁne ½ ① 🙂 👩‍👩‍👧 é ... -- \\n "q"';
const SPACES = ['', ' ', ' ', ' ', '  ', '\n', '\t', '\r\n', '\u00a0', '\u200b'];

function randomTexts(count: number, rng: Rng): string[] {
  const words = PIECES.split(' ');
  const character = () => {
    const code = rng.integer(0x20, rng.uniform() < 0.8 ? 0x2fff : 0x1f9ff);
    return code >= 0xd800 && code < 0xe000 ? '?' : String.fromCodePoint(code);
  };
  const piece = () => (rng.uniform() < 0.85 ? rng.choice(words) : character()) + rng.choice(SPACES);
  return Array.from({ length: count }, () => Array.from({ length: rng.integer(1, 12) }, piece).join(''));
}

async function casesOf(
  definition: Record<string, unknown>,
  recorded: readonly Case[],
  rng: Rng,
  Rust: any,
): Promise<Case[]> {
  const rust = Rust.Tokenizer.fromString(JSON.stringify(definition));
  const texts = randomTexts(400, rng);
  const encodings = await rust.encodeBatch(texts, { addSpecialTokens: false });
  const ids: number[][] = encodings.map((encoding: any) => encoding.getIds());
  const decoded: string[] = await rust.decodeBatch(ids, false);
  return [...recorded, ...texts.map((text, i): Case => [text, ids[i], decoded[i]])];
}

async function compareTokenizers(): Promise<void> {
  const Rust = await load('tokenizers');
  const rng = new Rng(1);
  const fixtures = readdirSync(join(tests, 'tokenizer-fixtures')).map((file) => {
    const { definition, cases } = readJson<{ definition: Record<string, unknown>; cases: [string, number[]][] }>(
      join(tests, 'tokenizer-fixtures', file),
    );
    return { name: basename(file, '.json'), definition, texts: cases.map(([text]) => text) };
  });
  const given = folders.map((folder) => ({
    name: basename(resolve(folder)),
    definition: readJson<Record<string, unknown>>(join(folder, 'tokenizer.json')),
    texts: [] as string[],
  }));
  const sets = [];
  for (const { name, definition, texts } of [...fixtures, ...given]) {
    const rust = Rust.Tokenizer.fromString(JSON.stringify(definition));
    const recorded: Case[] = [];
    for (const text of texts) {
      const ids: number[] = (await rust.encode(text, null, { addSpecialTokens: false })).getIds();
      recorded.push([text, ids, await rust.decode(ids, false)]);
    }
    sets.push({ name, definition, cases: await casesOf(definition, recorded, rng, Rust) });
  }
  const rows: string[][] = [];
  for (const [name, open] of Object.entries(await codecs())) {
    const found = { whole: 0, ids: 0, decoded: 0, count: 0 };
    const lacking: string[] = [];
    let milliseconds = 0;
    for (const set of sets) {
      const { ids, decoded, ms } = await compareOne(() => open(structuredClone(set.definition)), set.cases);
      if (ids === set.cases.length && decoded === set.cases.length) found.whole++;
      else lacking.push(`${set.name} ${set.cases.length - ids}/${set.cases.length - decoded}`);
      found.ids += ids;
      found.decoded += decoded;
      found.count += set.cases.length;
      milliseconds += ms;
    }
    console.log(`${name}, different in ids/decoded texts: ${lacking.join(', ') || 'none'}`);
    rows.push([
      name,
      `${found.whole} of ${sets.length}`,
      `${found.ids} of ${found.count}`,
      `${found.decoded} of ${found.count}`,
      milliseconds.toFixed(0),
    ]);
  }
  console.log(
    textTable(['tokenizers', 'with no difference', 'texts with equal ids', 'decoded equally', 'ms to encode'], rows),
  );
}

async function compareOne(open: () => Promise<Codec> | Codec, cases: readonly Case[]) {
  const found = { ids: 0, decoded: 0, ms: 0 };
  let codec: Codec;
  try {
    codec = await open();
  } catch {
    return found;
  }
  for (const [text, wanted, decoded] of cases) {
    const started = performance.now();
    const ids = attempt(() => codec.encode(text));
    found.ms += performance.now() - started;
    if (ids !== null && ids.length === wanted.length && wanted.every((id, i) => ids[i] === id)) found.ids++;
    if (attempt(() => codec.decode([...wanted])) === decoded) found.decoded++;
  }
  return found;
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

const recording = readJson<Recording>(recordingFile ?? join(tests, 'chat-fixtures/recorded.json'));
await atRecordedTime(() => compareTemplates(recording));
await compareTokenizers();
