// Maps the patterns of tokenizer.json to llama.cpp's names of the pre-tokenizers of byte-level BPE, and back.
// Source: llama-vocab.cpp of ggml-org/llama.cpp, which has its own form of each pattern beside the original one.
import type { Component } from './tokenizer-parts.js';

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const REST = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const WORDS = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+';
const START = '[^\\r\\n\\p{L}\\p{N}]?';
const [UPPER, LOWER] = ['[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]', '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]'];
const CASED_REST = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const cased = (ending: string, digits: string) =>
  `${START}${UPPER}*${LOWER}+${ending}|${START}${UPPER}+${LOWER}*${ending}|${digits}|${CASED_REST}`;

const byThrees = `${CONTRACTIONS}|${WORDS}|\\p{N}{1,3}|${REST}`;
const DEEPSEEK =
  '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+';
/** Stands, in the lists of patterns below, for GPT-2's pattern, which a ByteLevel step with `use_regex` applies. */
const GPT2 = 'ByteLevel';

interface Named {
  patterns: readonly string[];
  name: string;
  /** Whether a piece of text that is itself a token is not built from merges (`ignore_merges`). */
  ignoresMerges: boolean;
}

const known: readonly Named[] = [
  { patterns: [GPT2], name: 'gpt-2', ignoresMerges: false },
  { patterns: ['\\p{N}', GPT2], name: 'smollm', ignoresMerges: false },
  { patterns: [byThrees], name: 'llama-bpe', ignoresMerges: true },
  { patterns: [byThrees], name: 'smaug-bpe', ignoresMerges: false },
  { patterns: [`${CONTRACTIONS}|${WORDS}|\\p{N}|${REST}`], name: 'qwen2', ignoresMerges: false },
  {
    patterns: [
      `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
    ],
    name: 'qwen35',
    ignoresMerges: false,
  },
  { patterns: [cased(`${CONTRACTIONS}?`, '\\p{N}{1,3}')], name: 'gpt-4o', ignoresMerges: false },
  { patterns: [cased('', '\\p{N}')], name: 'tekken', ignoresMerges: true },
  { patterns: ['\\p{N}{1,3}', '[一-龥぀-ゟ゠-ヿ]+', DEEPSEEK], name: 'deepseek-v3', ignoresMerges: false },
];

/** Other names in llama.cpp for the same pre-tokenizers. */
const ALIASES: Readonly<Record<string, string>> = {
  llama3: 'llama-bpe',
  'llama-v3': 'llama-bpe',
  falcon3: 'llama-bpe',
  'falcon-h1': 'llama-bpe',
  pixtral: 'llama-bpe',
  lfm2: 'llama-bpe',
  dbrx: 'smaug-bpe',
  'deepseek-r1-qwen': 'qwen2',
  llama4: 'gpt-4o',
  'phi-2': 'gpt-2',
  gigachat: 'gpt-2',
  mpt: 'gpt-2',
  olmo: 'gpt-2',
  starcoder: 'smollm',
  refact: 'smollm',
  'command-r': 'smollm',
};

/** Returns tokenizer.json's pre-tokenizer for a name of llama.cpp. @param fail makes the error for an unknown name */
export function preTokenizerOf(
  name: string,
  fail: (problem: string) => Error,
): { component: Component; ignoresMerges: boolean } {
  const found = known.find((each) => each.name === (ALIASES[name] ?? name));
  if (found === undefined) {
    const names = [...known.map((each) => each.name), ...Object.keys(ALIASES)];
    throw fail(`its tokenizer cuts texts as ${JSON.stringify(name)}, which is not read; read are ${names.join(', ')}`);
  }
  const cutsItself = found.patterns.includes(GPT2);
  const cuts = found.patterns
    .filter((pattern) => pattern !== GPT2)
    .map((Regex) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false }));
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: cutsItself };
  const component = cuts.length === 0 ? bytes : { type: 'Sequence', pretokenizers: [...cuts, bytes] };
  return { component, ignoresMerges: found.ignoresMerges };
}

/** Finds llama.cpp's name of a pre-tokenizer. @param cuts the steps of the pre-tokenizer in tokenizer.json */
export function preTokenizerName(
  cuts: readonly Component[],
  ignoresMerges: boolean,
  fail: (problem: string) => Error,
): Named {
  const patterns = cuts.flatMap((cut) => patternOf(cut, fail));
  const fitting = known.filter((each) => each.patterns.join('\n') === patterns.join('\n'));
  const found = fitting.find((each) => each.ignoresMerges === ignoresMerges) ?? fitting[0];
  if (found !== undefined) return found;
  throw fail(
    `its pre-tokenizer is none that llama.cpp has a name for here: ${patterns.map((pattern) => JSON.stringify(pattern)).join(', ')}`,
  );
}

function patternOf(cut: Component, fail: (problem: string) => Error): string[] {
  const { type, pattern, behavior, invert = false } = cut;
  if (type === 'ByteLevel') return (cut.use_regex ?? true) === true ? [GPT2] : [];
  if (type === 'Digits' && cut.individual_digits === true) return ['\\p{N}'];
  const regex = (pattern as { Regex?: string } | undefined)?.Regex;
  // With these settings of a Split step, each match of the pattern is a piece of text, as in llama.cpp.
  const keepsAll = behavior === 'Isolated' || (behavior === 'Removed' && invert === true);
  if (type === 'Split' && regex !== undefined && keepsAll) return [regex];
  throw fail(`its pre-tokenizer has ${JSON.stringify(cut).slice(0, 120)}, which llama.cpp has no name for`);
}
