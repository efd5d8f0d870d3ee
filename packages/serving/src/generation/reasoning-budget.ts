// Limits the tokens of an answer's reasoning: at the limit, the marker that closes it, such as `</think>`, is forced.
import type { CompiledConstraint, TokenConstraint, Tokenizer } from '@bowyer/text';
import { decoderWithMarks } from '../tool-calls/call-style.js';
import { reasoningForm, type ReasoningForm } from '../tool-calls/reasoning.js';
import type { AnswerPlace } from './answer-grammar.js';

/** The character that decoding returns for an incomplete multi-byte character. */
const HALF_CHARACTER = '\uFFFD';

/** The number of last tokens that are decoded to search for the markers of reasoning, which have fewer tokens. */
const LOOKED_AT = 16;

export interface ReasoningBudget {
  form: ReasoningForm;
  /** The most tokens between the opening and the closing marker. */
  tokens: number;
  tokenizer: Pick<Tokenizer, 'encode' | 'tokenToId'>;
  /** Decodes tokens, including markers that are special tokens. */
  decode: (ids: readonly number[]) => string;
}

/**
 * Adds the limit on the tokens of reasoning.
 *
 * @param constraint of the whole answer; null if it has none
 * @returns null if the model does not write reasoning
 */
export function withinBudget(
  constraint: CompiledConstraint | null,
  {
    place,
    tokens,
    tokenizer,
  }: { place: NonNullable<AnswerPlace['parts']>; tokens: number; tokenizer: TokenizerOfMarks },
): CompiledConstraint | null {
  const format = place.style?.format ?? null;
  const form = reasoningForm(format, tokenizer, place.startsInReasoning);
  if (form === null) return null;
  return boundedReasoning(constraint, { form, tokens, tokenizer, decode: decoderWithMarks(tokenizer, format) });
}

/** Adds the limit on the tokens of reasoning. @param constraint of the whole answer; null if it has none */
export const boundedReasoning = (
  constraint: CompiledConstraint | null,
  budget: ReasoningBudget,
): CompiledConstraint => ({
  leastTokens: constraint?.leastTokens ?? 0,
  get isStale() {
    return constraint?.isStale ?? false;
  },
  start: () => new BudgetedAnswer(budget, constraint?.start() ?? null),
});

type TokenizerOfMarks = Parameters<typeof decoderWithMarks>[0] & Pick<Tokenizer, 'encode' | 'tokenToId'>;

/**
 * The stage of an answer. `before`: only spaces so far, or the beginning of the opening marker; `inside`: reasoning; `closing`:
 * the closing marker is being forced; `over`: no reasoning follows.
 */
type Stage = 'before' | 'inside' | 'closing' | 'over';

class BudgetedAnswer implements TokenConstraint {
  #stage: Stage;
  #count = 0;
  /** The last tokens, which are searched for markers. */
  #recent: number[] = [];
  /** The tokens of the closing marker that are still to be forced. */
  #forced: number[] = [];

  constructor(
    private readonly budget: ReasoningBudget,
    private readonly inner: TokenConstraint | null,
  ) {
    this.#stage = budget.form.startsInside ? 'inside' : 'before';
  }

  allowed(mask: Uint32Array, budget?: number): boolean {
    const hasTokens = this.inner?.allowed(mask, budget) ?? true;
    if (!this.inner) mask.fill(-1);
    if (!this.#forces(mask)) return hasTokens;
    const [next] = this.#forced;
    mask.fill(0);
    mask[next >>> 5] |= 1 << (next & 31);
    return true;
  }

  accept(id: number): void {
    this.inner?.accept(id);
    if (this.#stage === 'over') return;
    this.#recent = [...this.#recent.slice(1 - LOOKED_AT), id];
    if (this.#stage === 'closing') this.#forced.shift();
    if (this.#stage === 'inside') this.#count++;
    this.#look(this.budget.decode(this.#recent));
  }

  get canEnd(): boolean {
    return this.#stage !== 'closing' && (this.inner?.canEnd ?? true);
  }

  get mustEnd(): boolean {
    return this.inner?.mustEnd ?? false;
  }

  clone(): TokenConstraint {
    const copy = new BudgetedAnswer(this.budget, this.inner?.clone() ?? null);
    [copy.#stage, copy.#count] = [this.#stage, this.#count];
    [copy.#recent, copy.#forced] = [[...this.#recent], [...this.#forced]];
    return copy;
  }

  /** Returns whether the closing marker is forced now: not within a multi-byte character, nor where a grammar forbids it. */
  #forces(mask: Uint32Array): boolean {
    const { tokens, form, tokenizer, decode } = this.budget;
    if (this.#stage === 'inside' && this.#count >= tokens && !decode(this.#recent).endsWith(HALF_CHARACTER)) {
      const mark = tokenizer.tokenToId(form.end);
      this.#forced = mark === undefined ? tokenizer.encode(form.end) : [mark];
      this.#stage = 'closing';
    }
    if (this.#stage !== 'closing') return false;
    const [next] = this.#forced;
    if ((mask[next >>> 5] >>> (next & 31)) & 1) return true;
    this.#stage = 'inside';
    return false;
  }

  /** @param text of the last tokens */
  #look(text: string): void {
    const { start, end } = this.budget.form;
    if (this.#stage === 'before') {
      const shown = text.trimStart();
      if (shown.startsWith(start)) [this.#stage, this.#recent] = ['inside', []];
      else if (!start.startsWith(shown)) this.#stage = 'over';
    } else if (text.includes(end)) this.#stage = 'over';
  }
}
