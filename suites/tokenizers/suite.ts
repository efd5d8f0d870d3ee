import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HuggingFaceTokenizer } from '@bowyer/text';
import { outputOf } from '../programs.js';
import type { CaseResult, Suite } from '../suite.js';

type Json = Record<string, unknown>;

/** A call that the library answered while its tests ran. */
type Recorded = { test: string; definition: Json } & (
  | { kind: 'normalize'; given: string; found: string }
  | { kind: 'cut'; given: string; found: string[] }
  | { kind: 'join'; given: string[]; found: string }
  | { kind: 'encode' | 'encode specials'; given: string; found: number[] }
  | { kind: 'decode'; given: number[]; found: string }
);

/** Makes a tokenizer with the given words and one part of the pipeline, so that its ids show the effect of this part. */
function words(spellings: readonly string[], part: Json): [tokenizer: HuggingFaceTokenizer, ids: number[]] {
  const vocab = new Map<string, number>();
  for (const spelling of spellings) if (!vocab.has(spelling)) vocab.set(spelling, vocab.size);
  const unknown = '\u{10FFFF}unknown';
  vocab.set(unknown, vocab.size);
  const model = { type: 'WordLevel', vocab: Object.fromEntries(vocab), unk_token: unknown };
  return [new HuggingFaceTokenizer({ model, ...part }, {}), spellings.map((spelling) => vocab.get(spelling)!)];
}

/** Returns the result here, and the expected one. */
function replayed(recorded: Recorded): [found: unknown, expected: unknown] {
  const { kind, definition } = recorded;
  switch (kind) {
    case 'normalize': {
      const [tokenizer, ids] = words(recorded.found === '' ? [] : [recorded.found], { normalizer: definition });
      return [tokenizer.encode(recorded.given), ids];
    }
    case 'cut': {
      // A pre-tokenizer may return empty pieces, which a tokenizer drops.
      const pieces = recorded.found.filter((piece) => piece !== '');
      const [tokenizer, ids] = words(pieces, { pre_tokenizer: definition });
      return [tokenizer.encode(recorded.given), ids];
    }
    case 'join': {
      const [tokenizer, ids] = words(recorded.given, { decoder: definition });
      return [tokenizer.decode(ids), recorded.found];
    }
    case 'decode':
      return [new HuggingFaceTokenizer(definition, {}).decode(recorded.given), recorded.found];
    case 'encode':
      return [new HuggingFaceTokenizer(definition, {}).encode(recorded.given), recorded.found];
    case 'encode specials':
      return [new HuggingFaceTokenizer(definition, {}).encodeWithSpecials(recorded.given), recorded.found];
  }
}

function caseOf(recorded: Recorded, index: number): CaseResult {
  const { test, kind, given } = recorded;
  const name = `${test.replace(/^tests\//, '')}: ${kind} ${index}`;
  const type = (recorded.definition.type ?? (recorded.definition.model as Json | undefined)?.type) as string;
  try {
    const [found, expected] = replayed(recorded).map((value) => JSON.stringify(value));
    if (found === expected) return { name, outcome: 'passed' };
    const detail = `${type} of ${JSON.stringify(given)}: ${found}, expected ${expected} (${JSON.stringify(recorded.found)})`;
    return { name, outcome: 'failed', detail: detail.slice(0, 400) };
  } catch (problem) {
    return { name, outcome: 'failed', detail: `${type} of ${JSON.stringify(given)}: ${(problem as Error).message}` };
  }
}

const suite: Suite = {
  title: 'tokenizers',
  against: '`@bowyer/text`',
  sources: [
    { pip: 'tokenizers', version: '0.23.2', with: ['pytest==9.1.1', 'numpy'] },
    {
      github: 'huggingface/tokenizers',
      commit: '3ba8ad0061a885baf052bbb7bbd22857e73e0c4e',
      version: '0.23.2-dev',
      paths: ['bindings/python/tests'],
    },
  ],
  inCheck: false,
  notes:
    "The tests of the library's Python package run as they are, offline, while a plugin records each normalizer, pre-tokenizer, decoder and tokenizer that they use, with its input and output; " +
    'each is also given 16 further texts. The recorded calls are repeated here. Tests that download files of the hub record nothing.',
  async run({ folders: [python, repository], work }) {
    const tests = join(work, 'python');
    cpSync(join(repository, 'bindings/python'), tests, { recursive: true });
    const file = join(work, 'recorded.jsonl');
    const given = [
      '-m',
      'pytest',
      '-q',
      '-p',
      'recorder',
      '-p',
      'no:cacheprovider',
      '--continue-on-collection-errors',
      '--ignore=tests/test_benchmarks.py',
      'tests',
    ];
    const env = {
      BOWYER_RECORD: file,
      PYTHONPATH: import.meta.dirname,
      HF_HUB_OFFLINE: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    };
    await outputOf([join(python, 'bin/python'), ...given], tests, env);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line, index) => caseOf(JSON.parse(line) as Recorded, index));
  },
};

export default suite;
