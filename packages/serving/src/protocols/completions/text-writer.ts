// Writes the answers to POST /v1/completions: complete, or as the events of a stream. Source:
// platform.openai.com/docs/api-reference/completions; `prompt_token_ids` and `token_ids` are vLLM's.
import { randomUUID } from 'node:crypto';
import type { Choice, Completed, Usage } from '../../generation/answer.js';
import type { CompletionRequest } from '../../generation/completion-request.js';
import type { TokenLogprob } from '../../generation/token-logprobs.js';
import { WrittenList } from '../../http/json-writing.js';
import { counts } from '../openai/counts.js';
import { openaiError } from '../openai/errors.js';
import { tokenName, type TokenNames } from '../openai/token-names.js';
import { event, type AnswerWriter, type Fault } from '../protocol.js';

/** The prefix with which this API names a token that is only a part of a character, such as `bytes:\xe2`. */
const PART = 'bytes:';

export class TextWriter implements AnswerWriter {
  readonly id = `cmpl-${randomUUID().replaceAll('-', '')}`;
  readonly #names: TokenNames;
  readonly #head: object;

  /** @param created the time in seconds since 1970 */
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

/** Always includes the generated token; if another token has the same name, that one is named by its id. */
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
