// Writes answers in the form of Anthropic's Messages API: a message of content blocks, or the events of a stream, one block after
// another. Source: docs.anthropic.com/en/api/messages and en/docs/build-with-claude/streaming.
import { createHash, randomUUID } from 'node:crypto';
import type { Choice, Completed, Usage } from '../../generation/answer.js';
import type { CompletionRequest } from '../../generation/completion-request.js';
import type { CalledTool } from '../../tool-calls/part-streamer.js';
import { event, type AnswerWriter, type Fault } from '../protocol.js';
import { messagesError } from './errors.js';

interface MessageWriterOptions {
  request: Pick<CompletionRequest, 'model' | 'maxTokens' | 'prompts'>;
  /** The token limit that the client asked for. */
  asked: number;
  /** Whether the answer omits the text of the reasoning. */
  omitsThinking: boolean;
}

interface OpenBlock {
  index: number;
  kind: 'thinking' | 'text' | 'tool_use';
  call?: number;
  thinking: string;
}

export class MessageWriter implements AnswerWriter {
  readonly id = `msg_${randomUUID().replaceAll('-', '')}`;
  #open: OpenBlock | null = null;
  #blocks = 0;
  #last: Choice | null = null;

  constructor(private readonly options: MessageWriterOptions) {}

  whole({ choices: [choice], usage }: Completed): object {
    const content = this.#content(choice);
    return { ...this.#message(usage), content, ...this.#stop(choice) };
  }

  begin(): string {
    const [{ ids }] = this.options.request.prompts;
    const usage = { promptTokens: ids.length, cachedPromptTokens: 0, completionTokens: 0, reasoningTokens: 0 };
    const message = { ...this.#message(usage), content: [], stop_reason: null, stop_sequence: null };
    return named({ type: 'message_start', message }) + this.idle();
  }

  idle(): string {
    return named({ type: 'ping' });
  }

  piece(choice: Choice): string {
    const { reasoning = '', text, calls = [] } = choice;
    if (choice.finishReason !== null) this.#last = choice;
    const events: string[] = [];
    if (reasoning !== '') {
      events.push(this.#begin('thinking'));
      this.#open!.thinking += reasoning;
      if (!this.options.omitsThinking) events.push(this.#delta({ type: 'thinking_delta', thinking: reasoning }));
    }
    if (text !== '') events.push(this.#begin('text'), this.#delta({ type: 'text_delta', text }));
    for (const call of calls) {
      events.push(this.#begin('tool_use', call));
      if (call.arguments !== '') events.push(this.#delta({ type: 'input_json_delta', partial_json: call.arguments }));
    }
    return events.join('');
  }

  end({ choices, usage }: Completed): string {
    const delta = this.#stop(this.#last ?? choices[0]);
    const { input_tokens, output_tokens, ...more } = usageOf(usage);
    const counted = { input_tokens, output_tokens, ...more };
    return this.#close() + named({ type: 'message_delta', delta, usage: counted }) + named({ type: 'message_stop' });
  }

  fail(fault: Fault): string {
    return event(messagesError(fault), 'error');
  }

  /** Writes nothing if the block is already open. */
  #begin(kind: OpenBlock['kind'], call?: CalledTool): string {
    if (this.#open?.kind === kind && this.#open.call === call?.index) return '';
    const closed = this.#close();
    this.#open = { index: this.#blocks++, kind, call: call?.index, thinking: '' };
    const blocks = {
      text: { type: 'text', text: '' }, // without `citations: null`, since clients accept only a list or no field
      thinking: { type: 'thinking', thinking: '', signature: '' },
      tool_use: call && toolUse(call, {}),
    };
    return closed + named({ type: 'content_block_start', index: this.#open.index, content_block: blocks[kind] });
  }

  #delta(delta: object): string {
    return named({ type: 'content_block_delta', index: this.#open!.index, delta });
  }

  #close(): string {
    const open = this.#open;
    if (open === null) return '';
    const signature =
      open.kind === 'thinking' ? this.#delta({ type: 'signature_delta', signature: signatureOf(open.thinking) }) : '';
    this.#open = null;
    return signature + named({ type: 'content_block_stop', index: open.index });
  }

  #content({ reasoning = '', text, calls = [] }: Choice): object[] {
    const thinking = this.options.omitsThinking ? '' : reasoning;
    return [
      ...(reasoning === '' ? [] : [{ type: 'thinking', thinking, signature: signatureOf(reasoning) }]),
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((call) => toolUse(call, inputOf(call))),
    ];
  }

  #message(usage: Usage): object {
    return {
      id: this.id,
      type: 'message',
      role: 'assistant',
      model: this.options.request.model,
      container: null,
      stop_details: null,
      diagnostics: null,
      usage: usageOf(usage),
    };
  }

  /** The reason has another name if the context ended the answer before the client's own token limit. */
  #stop({ finishReason, stop }: Choice): object {
    const { request, asked } = this.options;
    if (finishReason === 'tool_calls') return { stop_reason: 'tool_use', stop_sequence: null };
    if (finishReason === 'length') {
      const isContext = request.maxTokens < asked;
      return { stop_reason: isContext ? 'model_context_window_exceeded' : 'max_tokens', stop_sequence: null };
    }
    return { stop_reason: stop === undefined ? 'end_turn' : 'stop_sequence', stop_sequence: stop ?? null };
  }
}

const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);

const toolUse = ({ id, name }: CalledTool, input: unknown): object => ({
  type: 'tool_use',
  id,
  name,
  input,
  caller: { type: 'direct' },
});

/** Parses the arguments of a tool call. If they are not a JSON object, an object is made with the text in its only field. */
function inputOf({ arguments: text }: CalledTool): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { arguments: value };
  } catch {
    return { arguments: text };
  }
}

/** Returns the signature of a reasoning block, a digest of its text. Clients send it back with the block. */
const signatureOf = (thinking: string): string => createHash('sha256').update(thinking).digest('base64');

/** Counts prompt tokens from the cache separately. Fields that are null or 0 are written too, since clients read them. */
const usageOf = ({ promptTokens, cachedPromptTokens, completionTokens, reasoningTokens }: Usage) => ({
  input_tokens: promptTokens - cachedPromptTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cachedPromptTokens,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: completionTokens,
  output_tokens_details: { thinking_tokens: reasoningTokens },
  server_tool_use: null,
  service_tier: 'standard',
});
