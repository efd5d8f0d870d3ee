// Rules of a generation_config.json or of a request that change logits before a token is chosen, from what the text contains so far.
// Source: Hugging Face's logits processors, in the order in which its `generate` applies them.

export interface LogitRules {
  /** Added to the last token of a sequence where the text ends in the tokens before it. */
  sequenceBias: readonly { ids: readonly number[]; by: number }[];
  /** Logits of the text's tokens are divided by it where they are positive, else multiplied (Keskar et al. 2019, section 4.1); 1: none. */
  repetitionPenalty: number;
  /** The length of token sequences that may not appear twice; 0: no limit. */
  noRepeatNgramSize: number;
  /** Token sequences that are never completed. */
  badWords: readonly (readonly number[])[];
  /** Shortest text in tokens, the prompt's included, before an end token. */
  minLength: number;
  /** The same without the prompt's. */
  minNewTokens: number;
  suppressedIds: readonly number[];
  /** Suppressed as the first new token. */
  beginSuppressedIds: readonly number[];
  /** The only tokens that can be chosen, of a vocabulary of so many; null: all. Suppressed ones stay suppressed. */
  allowed: { ids: readonly number[]; of: number } | null;
}

/** Beyond these a logit that is far below the rest would no longer be. */
export const REPETITION_PENALTIES = { min: 0.01, max: 100 } as const;

export const noLogitRules: LogitRules = {
  sequenceBias: [],
  repetitionPenalty: 1,
  noRepeatNgramSize: 0,
  badWords: [],
  minLength: 0,
  minNewTokens: 0,
  suppressedIds: [],
  beginSuppressedIds: [],
  allowed: null,
};

/** Returns whether any token could be affected. */
export const changesLogits = (rules: LogitRules): boolean =>
  Object.values(rules).some((rule, i) => {
    const none: unknown = Object.values(noLogitRules)[i];
    return Array.isArray(rule) ? rule.length > 0 : rule !== none;
  });

/** Far below any logit, and finite, so that a factor changes nothing about it. */
const FORBIDDEN = -1e9;

interface LogitChanges {
  /** Added first: tokens, each once. */
  bias: Map<number, number>;
  /** Then divided or multiplied by the repetition penalty: tokens, each once. */
  penalized: readonly number[];
}

/**
 * Returns the changes of the rules for the next token.
 *
 * @param text tokens of the prompt and of what was generated
 * @param newTokens how many of them were generated
 * @param terminatorIds tokens that would end the text
 */
export function logitChanges(
  rules: LogitRules,
  text: readonly number[],
  newTokens: number,
  terminatorIds: readonly number[],
): LogitChanges {
  const bias = new Map<number, number>();
  const add = (id: number, by: number) => bias.set(id, (bias.get(id) ?? 0) + by);
  for (const { ids, by } of rules.sequenceBias) if (endsBefore(text, ids)) add(ids.at(-1)!, by);
  const forbidden = new Set([...repeating(text, rules.noRepeatNgramSize), ...rules.suppressedIds]);
  for (const ids of rules.badWords) {
    const isTerminator = ids.length === 1 && terminatorIds.includes(ids[0]);
    if (!isTerminator && endsBefore(text, ids)) forbidden.add(ids.at(-1)!);
  }
  if (text.length < rules.minLength || newTokens < rules.minNewTokens)
    for (const id of terminatorIds) forbidden.add(id);
  if (newTokens === 0) for (const id of rules.beginSuppressedIds) forbidden.add(id);
  for (const id of othersThan(rules.allowed)) forbidden.add(id);
  for (const id of forbidden) add(id, FORBIDDEN);
  return { bias, penalized: rules.repetitionPenalty === 1 ? [] : [...new Set(text)] };
}

function othersThan(allowed: LogitRules['allowed']): number[] {
  if (allowed === null) return [];
  const kept = new Set(allowed.ids);
  return Array.from({ length: allowed.of }, (_, id) => id).filter((id) => !kept.has(id));
}

/** Returns whether the text ends in all of the sequence but its last token. */
function endsBefore(text: readonly number[], ids: readonly number[]): boolean {
  const start = text.length - (ids.length - 1);
  if (start < 0) return false;
  for (let i = 0; i < ids.length - 1; i++) if (text[start + i] !== ids[i]) return false;
  return true;
}

/** Lists the tokens that would complete a sequence of `size` tokens which the text contains already. */
function repeating(text: readonly number[], size: number): number[] {
  if (size === 0 || text.length + 1 < size) return [];
  const found: number[] = [];
  const end = text.slice(text.length - (size - 1));
  for (let at = 0; at + size <= text.length; at++)
    if (end.every((id, i) => text[at + i] === id)) found.push(text[at + size - 1]);
  return found;
}
