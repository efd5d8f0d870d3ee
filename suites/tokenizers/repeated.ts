// Repeats the calls that recorder.py recorded with the tokenizers and templates of @bowyer/text.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { HuggingFaceTokenizer, Template } from '@bowyer/text';
import { triedCase } from '../cases.js';
import type { CaseResult } from '../suite.js';

type Json = Record<string, unknown>;

/** A call that the library answered while its tests ran. */
type Recorded = { test: string; definition: Json } & (
  | { kind: 'normalize'; given: string; found: string }
  | { kind: 'cut'; given: string; found: string[] }
  | { kind: 'join'; given: string[]; found: string }
  | { kind: 'encode' | 'encode specials'; given: string; found: number[] }
  | { kind: 'decode'; given: number[]; found: string }
  | { kind: 'render'; given: Json; found: string }
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
    case 'render':
      return [new Template(definition.source as string).render(recorded.given).text, recorded.found];
    case 'encode specials':
      return [new HuggingFaceTokenizer(definition, {}).encodeWithSpecials(recorded.given), recorded.found];
  }
}

/** Repeats a recorded call, and compares the results. */
function repeated(recorded: Recorded, index: number): Promise<CaseResult> {
  const { test, kind, given } = recorded;
  const name = `${test.replace(/^tests\//, '')}: ${kind} ${index}`;
  const type = (recorded.definition.type ?? (recorded.definition.model as Json | undefined)?.type) as string;
  return triedCase(name, () => {
    const [found, expected] = replayed(recorded).map((value) => JSON.stringify(value));
    if (found === expected) return null;
    return `${type} of ${JSON.stringify(given)}: ${found}, expected ${expected} (${JSON.stringify(recorded.found)})`;
  });
}

/** Repeats all calls of a file, which can be larger than the longest string. */
export async function repeatedCases(file: string): Promise<CaseResult[]> {
  const cases: CaseResult[] = [];
  for await (const line of createInterface({ input: createReadStream(file) }))
    cases.push(await repeated(JSON.parse(line) as Recorded, cases.length));
  return cases;
}
