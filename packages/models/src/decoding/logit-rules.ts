// Computes the changes that rules of a generation_config.json or of a request, such as a repetition penalty, make to logits,
// depending on the text so far.
// Source: Hugging Face's logits processors, in the order in which its `generate` applies them.

/** The rules that change logits while one text is generated. */
export interface LogitRules {
  /** Sequences of tokens whose last token gets `by` added to its logit where the text ends with the sequence's other tokens. */
  sequenceBias: readonly { ids: readonly number[]; by: number }[];
  /**
   * The number by which the logits of tokens that occur in the text are divided if positive, and multiplied if negative (Keskar
   * et al. 2019, section 4.1); 1 has no effect.
   */
  repetitionPenalty: number;
  /** The length n of token sequences (n-grams) that must not occur twice in the text; 0 allows repetitions. */
  noRepeatNgramSize: number;
  /** Sequences of tokens that must not be generated. */
  badWords: readonly (readonly number[])[];
  /** The least number of tokens, the prompt included, before an end token can be chosen. */
  minLength: number;
  /** The least number of new tokens before an end token can be chosen. */
  minNewTokens: number;
  suppressedIds: readonly number[];
  /** Tokens that cannot be chosen as the first new token. */
  beginSuppressedIds: readonly number[];
  /** The only tokens that can be chosen, in a vocabulary of `of` tokens; null: all tokens. Suppressed tokens stay suppressed. */
  allowed: { ids: readonly number[]; of: number } | null;
}

/** Beyond this range, a penalty could bring the logit of a forbidden token close to those of other tokens. */
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

/** Returns whether the rules can change any logit. */
export const changesLogits = (rules: LogitRules): boolean =>
  Object.values(rules).some((rule, i) => {
    const none: unknown = Object.values(noLogitRules)[i];
    return Array.isArray(rule) ? rule.length > 0 : rule !== none;
  });

/** The number added to a forbidden token's logit: very negative, but finite, so that no factor gives NaN. */
const FORBIDDEN = -1e9;

/** The changes to the logits of one row's next token. */
interface LogitChanges {
  /** The numbers that are added to logits first, by token. */
  bias: Map<number, number>;
  /** The tokens, each once, whose logits are then divided or multiplied by the repetition penalty. */
  penalized: readonly number[];
}

/**
 * Computes the changes of the rules to the next token's logits.
 *
 * @param text the tokens of the prompt and those generated so far
 * @param newTokens the number of generated tokens
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

/** Returns whether the text ends with all of the sequence's tokens but the last. */
function endsBefore(text: readonly number[], ids: readonly number[]): boolean {
  const start = text.length - (ids.length - 1);
  if (start < 0) return false;
  for (let i = 0; i < ids.length - 1; i++) if (text[start + i] !== ids[i]) return false;
  return true;
}

/** Lists the tokens that would complete an n-gram of `size` tokens that already occurs in the text. */
function repeating(text: readonly number[], size: number): number[] {
  if (size === 0 || text.length + 1 < size) return [];
  const found: number[] = [];
  const end = text.slice(text.length - (size - 1));
  for (let at = 0; at + size <= text.length; at++)
    if (end.every((id, i) => text[at + i] === id)) found.push(text[at + size - 1]);
  return found;
}
