// Calls the chat completions API of OpenAI-compatible servers, and sums the numbers of tokens that they report. Format:
// platform.openai.com/docs/api-reference/chat.
import { HttpServer, NoAnswer, type HttpServerOptions } from './http-server.js';
import { visibleAnswer } from './visible-answer.js';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface OpenAiChatOptions {
  /** The server's address up to the API version, such as http://127.0.0.1:8000/v1. */
  baseUrl: string;
  model: string;
  /** The API key, which is sent as bearer token; null: none is sent. */
  apiKey: string | null;
  /** The largest number of simultaneous requests. */
  concurrency: number;
  http?: Partial<Omit<HttpServerOptions, 'connections'>>;
}

/** Sampling settings under the names of the API. For absent ones, the server's defaults apply. */
export interface ChatSettings {
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  stop?: readonly string[];
  seed?: number;
}

export interface ChatReply {
  /** The text of the answer without reasoning; empty if the model wrote nothing else. */
  content: string;
  /** The reason why the answer ended, such as stop or length; null if the server states none. */
  finishReason: string | null;
}

export interface CompletionOptions {
  /** Whether an empty answer is accepted. Default: true, since an agent's action may be empty. */
  mayBeBlank?: boolean;
  /** Whether the text of the model's refusal is returned if there is no content. Default: false. */
  takesRefusal?: boolean;
}

/** Sums over all answers so far. The numbers of tokens are 0 for servers that do not report them. */
export interface ChatUsage {
  requests: number;
  promptTokens: number;
  completionTokens: number;
}

export class OpenAiChat {
  readonly #server: HttpServer;
  readonly #usage: ChatUsage = { requests: 0, promptTokens: 0, completionTokens: 0 };

  constructor(private readonly options: OpenAiChatOptions) {
    this.#server = new HttpServer(options.baseUrl, { ...options.http, connections: options.concurrency });
  }

  get usage(): ChatUsage {
    return { ...this.#usage };
  }

  /**
   * An interrupted or unanswered request is sent again, which costs tokens and has no other effect.
   * @throws {HttpError} also for an answer with status 200 and without a text, which is a fault of the server
   */
  async complete(
    messages: readonly ChatMessage[],
    settings: ChatSettings = {},
    options: CompletionOptions = {},
  ): Promise<ChatReply> {
    const { model, apiKey } = this.options;
    const { reply, usage } = await this.#server.request({
      method: 'POST',
      path: '/chat/completions',
      json: { model, messages, ...settings },
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      idempotent: true,
      read: (body) => readCompletion(body, options),
    });
    this.#usage.requests++;
    this.#usage.promptTokens += count(usage.prompt_tokens);
    this.#usage.completionTokens += count(usage.completion_tokens);
    return reply;
  }

  async close(): Promise<void> {
    await this.#server.close();
  }
}

function readCompletion(
  body: unknown,
  options: CompletionOptions,
): { reply: ChatReply; usage: Record<string, unknown> } {
  const { usage } = record(body, 'the answer');
  const choice = onlyChoice(body);
  const message = record(choice.message, 'choices[0].message');
  const finishReason = typeof choice.finish_reason === 'string' ? choice.finish_reason : null;
  return {
    reply: { content: answerText(message, finishReason, options), finishReason },
    usage: typeof usage === 'object' && usage !== null ? { ...usage } : {},
  };
}

/** Finish reasons that count as errors, whatever text the answer contains. */
const FAULTS = ['error', 'abort', 'cancelled', 'content_filter'];

/** Returns a completion's first choice. @throws {NoAnswer} if it has none or reports an error with status 200 */
export function onlyChoice(body: unknown): Record<string, unknown> {
  const { choices, error } = record(body, 'the answer');
  if ((error ?? null) !== null) throw new NoAnswer(`the answer is an error: ${JSON.stringify(error)}`);
  if (!Array.isArray(choices)) throw new TypeError('the answer has no list of choices');
  if (choices.length === 0) throw new NoAnswer('the list of choices is empty');
  const choice = record(choices[0], 'choices[0]');
  const { finish_reason: reason } = choice;
  if ((choice.error ?? null) !== null || FAULTS.includes(String(reason)))
    throw new NoAnswer(`finish_reason is ${JSON.stringify(reason ?? null)}${errorOf(choice)}`);
  return choice;
}

const errorOf = ({ error }: Record<string, unknown>) => ((error ?? null) === null ? '' : `: ${JSON.stringify(error)}`);

/** Returns the text of an answer's message. @throws {NoAnswer} if it has none */
function answerText(
  message: Record<string, unknown>,
  finishReason: string | null,
  { mayBeBlank = true, takesRefusal = false }: CompletionOptions,
): string {
  const { content, refusal } = message;
  const ended = `finish_reason is ${JSON.stringify(finishReason)}`;
  const text = contentText(content);
  if (typeof refusal === 'string' && refusal !== '' && (text ?? '').trim() === '') {
    if (takesRefusal) return refusal;
    throw new NoAnswer(`the model refused (${ended}): ${refusal}`);
  }
  if (text === null) throw new NoAnswer(`content is ${JSON.stringify(content ?? null)} (${ended})${callsOf(message)}`);
  const answer = visibleAnswer(text);
  if (answer === null)
    throw new NoAnswer(`the model's thoughts do not end, so there is no answer (${ended}${roomHint(finishReason)})`);
  if (answer === '' && (!mayBeBlank || finishReason === 'length'))
    throw new NoAnswer(`the answer has no text (${ended}${roomHint(finishReason)})`);
  return answer;
}

const roomHint = (reason: string | null) => (reason === 'length' ? ': max_tokens is too small' : '');
const callsOf = ({ tool_calls: calls }: Record<string, unknown>) =>
  Array.isArray(calls) && calls.length > 0 ? ': the model has called tools, and no tools were offered' : '';

/** Returns a message's content: a text, or the text parts of a list without reasoning parts; null for anything else. */
function contentText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((part: unknown) => {
    const { type, text } = record(part, 'a part of choices[0].message.content');
    return (type === 'text' || type === 'output_text') && typeof text === 'string' ? [text] : [];
  });
  return texts.length > 0 ? texts.join('') : null;
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${what} is not an object`);
  return { ...value };
}

const count = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : 0);
