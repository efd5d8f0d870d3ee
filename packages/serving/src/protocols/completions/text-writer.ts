// Writes the answers of completions: whole, or as the pieces of a stream.
// Source: platform.openai.com/docs/api-reference/completions; `prompt_token_ids` and `token_ids` are vLLM's.
import { randomUUID } from 'node:crypto';
import type { Choice, Completed, Usage } from '../../generation/answer.js';
import type { CompletionRequest } from '../../generation/completion-request.js';
import type { TokenLogprob } from '../../generation/token-logprobs.js';
import { WrittenList } from '../../http/json-writing.js';
import { counts } from '../openai/counts.js';
import { openaiError } from '../openai/errors.js';
import { tokenName, type TokenNames } from '../openai/token-names.js';
import { event, type AnswerWriter, type Fault } from '../protocol.js';

/** The prefix of the names of tokens that are parts of characters in this API. */
const PART = 'bytes:';

export class TextWriter implements AnswerWriter {
  readonly id = `cmpl-${randomUUID().replaceAll('-', '')}`;
  readonly #names: TokenNames;
  readonly #head: object;

  /** Starts an answer. @param created in seconds since 1970 */
  constructor(
    private readonly request: Pick<CompletionRequest, 'model' | 'streamsUsage' | 'namesTokensById'>,
    created: number,
  ) {
    const { model, namesTokensById } = request;
    this.#names = namesTokensById ? 'ids' : 'texts';
    this.#head = { id: this.id, created, model, object: 'text_completion' };
  }

  whole({ choices, usage }: Completed): object {
    return { ...this.#head, choices: choices.map((choice) => this.#entry(choice)), usage: counts(usage) };
  }

  begin(): string {
    return '';
  }

  piece(choice: Choice): string {
    return event({ ...this.#head, choices: [this.#entry(choice)] });
  }

  end({ usage }: { usage: Usage }): string {
    const counted = this.request.streamsUsage ? event({ ...this.#head, choices: [], usage: counts(usage) }) : '';
    return `${counted}${event('[DONE]')}`;
  }

  fail(fault: Fault): string {
    return event(openaiError(fault));
  }

  #entry({ index, text, tokens, finishReason, ids }: Choice): object {
    return {
      index,
      text,
      logprobs: tokens && textLogprobs(tokens, this.#names),
      finish_reason: finishReason,
      ...(ids && { token_ids: ids.text, ...(ids.prompt && { prompt_token_ids: ids.prompt }) }),
    };
  }
}

const textLogprobs = (tokens: readonly TokenLogprob[], names: TokenNames): object => ({
  tokens: new WrittenList(tokens, (token) => tokenName(token, names, PART)),
  token_logprobs: tokens.map(({ logprob }) => logprob),
  top_logprobs: tokens.some(({ topLogprobs }) => topLogprobs.length > 0)
    ? new WrittenList(tokens, (token) => byName(token, names))
    : null,
  text_offset: tokens.map(({ offset }) => offset),
});

/**
 * Returns log-probabilities by the tokens' names. They always contain the generated token; another token with the same name is
 * named by its id.
 */
function byName(generated: TokenLogprob, names: TokenNames): Record<string, number | null> {
  const others = generated.topLogprobs.filter(({ id }) => id !== generated.id);
  const taken = new Map<string, number>();
  for (const token of [generated, ...others]) {
    const name = tokenName(token, names, PART);
    taken.set(taken.has(name) ? `token_id:${token.id}` : name, token.id);
  }
  const named = new Map([...taken].map(([name, id]) => [id, name]));
  const inOrder = [...generated.topLogprobs, generated].map(({ id, logprob }) => [named.get(id)!, logprob] as const);
  return Object.fromEntries(inOrder);
}
