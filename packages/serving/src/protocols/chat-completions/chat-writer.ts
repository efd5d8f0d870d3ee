// Writes the answers to POST /v1/chat/completions: complete, or as the events of a stream. Source:
// platform.openai.com/docs/api-reference/chat; `reasoning_content`, `prompt_token_ids` and `token_ids` are vLLM's.
import { randomUUID } from 'node:crypto';
import type { Choice, Completed, Usage } from '../../generation/answer.js';
import type { CompletionRequest } from '../../generation/completion-request.js';
import { chatLogprobs } from '../openai/chat-logprobs.js';
import { counts } from '../openai/counts.js';
import { openaiError } from '../openai/errors.js';
import type { TokenNames } from '../openai/token-names.js';
import { event, type AnswerWriter, type Fault } from '../protocol.js';

export class ChatWriter implements AnswerWriter {
  readonly id = `chatcmpl-${randomUUID().replaceAll('-', '')}`;
  readonly #names: TokenNames;
  readonly #head: object;
  /** Keys of the choices, and of the tool calls, whose first event was written. */
  readonly #begun = new Set<string>();

  /** @param created the time in seconds since 1970 */
  constructor(
    private readonly request: Pick<CompletionRequest, 'model' | 'streamsUsage' | 'namesTokensById'>,
    created: number,
  ) {
    this.#names = request.namesTokensById ? 'ids' : 'texts';
    this.#head = { id: this.id, created, model: request.model };
  }

  whole({ choices, usage }: Completed): object {
    return {
      ...this.#head,
      object: 'chat.completion',
      ...promptIds(choices[0]),
      choices: choices.map((choice) => ({ ...this.#entry(choice), message: message(choice) })),
      usage: counts(usage),
    };
  }

  begin(): string {
    return '';
  }

  /** Writes an event of one choice; the first event of a choice contains the role. */
  piece(choice: Choice): string {
    const delta = {
      ...(this.#begins(`${choice.index}`) && { role: 'assistant' }),
      ...(choice.finishReason === null && (choice.text !== '' || !hasParts(choice)) && { content: choice.text }),
      ...reasoningOf(choice),
      ...this.#callsOf(choice),
    };
    return this.#chunk({ ...promptIds(choice), choices: [{ ...this.#entry(choice), delta }] });
  }

  end({ usage }: { usage: Usage }): string {
    const counted = this.request.streamsUsage ? this.#chunk({ choices: [], usage: counts(usage) }) : '';
    return `${counted}${event('[DONE]')}`;
  }

  fail(fault: Fault): string {
    return event(openaiError(fault));
  }

  #chunk(content: object): string {
    return event({ ...this.#head, object: 'chat.completion.chunk', ...content });
  }

  #entry({ index, tokens, finishReason, ids }: Choice): object {
    return {
      index,
      logprobs: tokens && { content: chatLogprobs(tokens, this.#names), refusal: null },
      finish_reason: finishReason,
      ...(ids && { token_ids: ids.text }),
    };
  }

  #begins(what: string): boolean {
    const isNew = !this.#begun.has(what);
    this.#begun.add(what);
    return isNew;
  }

  /** A call's first event contains its id and name; later events contain text of its arguments. */
  #callsOf(choice: Choice): object {
    const { calls = [] } = choice;
    if (calls.length === 0) return {};
    const pieces = calls.map(({ index, id, name, arguments: args }) =>
      this.#begins(`${choice.index} ${index}`)
        ? { index, id, type: 'function', function: { name, arguments: args } }
        : { index, function: { arguments: args } },
    );
    return { tool_calls: pieces };
  }
}

const hasParts = ({ reasoning = '', calls = [] }: Choice) => reasoning !== '' || calls.length > 0;

const reasoningOf = ({ reasoning = '' }: Choice): object => (reasoning === '' ? {} : { reasoning_content: reasoning });

/** Writes a complete message; its content is null if it consists only of tool calls. */
function message(choice: Choice): object {
  const { text, calls = [] } = choice;
  const written = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...reasoningOf(choice),
    ...(calls.length > 0 && { tool_calls: written }),
  };
}

const promptIds = ({ ids }: Choice): object => (ids?.prompt ? { prompt_token_ids: ids.prompt } : {});
