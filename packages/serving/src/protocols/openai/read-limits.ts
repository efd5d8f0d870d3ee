// Reads the request fields of /v1/chat/completions and /v1/completions that limit the tokens of prompts and answers.
import type { CompletionRequest } from '../../generation/completion-request.js';
import { noCut, type LengthBounds, type PromptCut } from '../../generation/request-bounds.js';
import type { RequestFields } from '../fields/request-fields.js';

/** The fields with an answer's token limit, of which the first present one is used, and the smallest allowed limit. */
interface LimitNames {
  names: readonly string[];
  least: number;
}

/** Reads the token limit of an answer; null if the request has none. */
export function givenLimit(fields: RequestFields, { names, least }: LimitNames): number | null {
  const name = names.find((each) => fields.value(each) !== undefined);
  return name === undefined
    ? null
    : fields.number(name, null, { min: least, max: Number.MAX_SAFE_INTEGER, whole: true });
}

/** vLLM's `truncate_prompt_tokens`: the last tokens of the prompt to keep; −1 keeps as many as fit beside the answer. */
export function promptCut(fields: RequestFields, limit: LimitNames, bounds: LengthBounds): PromptCut {
  const { contextLength, defaults } = bounds;
  const given = fields.number('truncate_prompt_tokens', null, { min: -1, max: contextLength, whole: true });
  const side = fields.choice('truncation_side', ['left', 'right'], 'left');
  if (given === 0) throw fields.fail('truncate_prompt_tokens', 'must be at least 1, or -1 for as many as fit');
  if (given === null && fields.value('truncation_side') !== undefined)
    throw fields.fail('truncation_side', 'needs truncate_prompt_tokens');
  if (given === null) return noCut;
  const asked = givenLimit(fields, limit) ?? defaults.maxTokens;
  const count = given > 0 ? given : Math.max(1, contextLength - asked);
  const cut = (ids: number[]) =>
    ids.length <= count ? ids : side === 'left' ? ids.slice(-count) : ids.slice(0, count);
  return Object.assign(cut, { cuts: true });
}

/** Throws BadRequestError if no answer could end within the token limits. */
export function checkAnswerLimits(
  fields: RequestFields,
  { minTokens }: Pick<CompletionRequest, 'minTokens'>,
  maxTokens: number,
): void {
  if (minTokens > maxTokens && fields.value('min_tokens') !== undefined)
    throw fields.fail('min_tokens', `is ${minTokens}, and the answer has at most ${maxTokens} tokens`);
}
