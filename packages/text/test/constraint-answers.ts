// Draws answers uniformly from the tokens that a constraint allows, so that they stand for any model's answers.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { HuggingFaceTokenizer, TokenVocabulary, type CompiledConstraint, type Tokenizer } from '../src/index.js';
import { Draws } from './draws.js';

const folder = resolve(import.meta.dirname, 'tokenizer-fixtures');

/** Makes a tokenizer of a few hundred tokens in the form of a published one. Its last id has no text and ends an answer. */
export function smallTokenizer(name: string): { tokenizer: Tokenizer; vocabulary: TokenVocabulary } {
  const { definition } = JSON.parse(readFileSync(resolve(folder, `${name}.json`), 'utf8')) as {
    definition: Record<string, unknown> & { added_tokens?: { id: number; content: string }[] };
  };
  const id = new HuggingFaceTokenizer(definition, {}).vocabSize;
  const end = { id, content: '<|end of answer|>', special: true, normalized: false };
  const tokenizer = new HuggingFaceTokenizer(
    { ...definition, added_tokens: [...(definition.added_tokens ?? []), end] },
    { eos_token: end.content },
  );
  return { tokenizer, vocabulary: new TokenVocabulary(tokenizer) };
}

interface DrawnAnswer {
  ids: number[];
  /** Whether the end token ended the answer. */
  finished: boolean;
}

/**
 * Draws an answer that the constraint allows.
 *
 * @throws {Error} where no token is allowed
 */
export function drawnAnswer(
  compiled: CompiledConstraint,
  vocabulary: TokenVocabulary,
  maxTokens: number,
  rng: Draws,
): DrawnAnswer {
  const constraint = compiled.start();
  const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
  const ids: number[] = [];
  while (ids.length < maxTokens) {
    constraint.allowed(mask, maxTokens - ids.length);
    const allowed = idsOf(mask);
    if (allowed.length === 0) throw new Error(`no token is allowed after ${JSON.stringify(ids)}`);
    const id = allowed[rng.integer(0, allowed.length - 1)];
    if (vocabulary.endIds.includes(id)) return { ids, finished: true };
    constraint.accept(id);
    ids.push(id);
  }
  return { ids, finished: false };
}

export function idsOf(mask: Uint32Array): number[] {
  const ids: number[] = [];
  for (let id = 0; id < 32 * mask.length; id++) if (mask[id >>> 5] & (1 << (id & 31))) ids.push(id);
  return ids;
}
