// Chat completions of any OpenAI-compatible server, with usage counts. Format: platform.openai.com/docs/api-reference/chat.
import { HttpServer, type HttpServerOptions } from './http-server.js';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface OpenAiChatOptions {
  /** Address up to the version, such as http://127.0.0.1:8000/v1. */
  baseUrl: string;
  model: string;
  /** Sent as a bearer token; null: none. */
  apiKey: string | null;
  /** Requests at the same time. */
  concurrency: number;
  /** Further limits of the connection. */
  http?: Partial<Omit<HttpServerOptions, 'connections'>>;
}

/** As the API names them; what is left out is for the server to decide. */
export interface ChatSettings {
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  stop?: readonly string[];
  seed?: number;
}

export interface ChatReply {
  content: string;
  /** Why it ended, such as stop or length; null where the server does not say. */
  finishReason: string | null;
  /** What the model refused to do, in its words; null where it did not refuse. */
  refusal: string | null;
}

/** Sums over all replies. Servers that count nothing leave the tokens at 0. */
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

  /** A repeated completion changes nothing but the bill, so interrupted requests are sent again. @throws {HttpError} */
  async complete(
    messages: readonly ChatMessage[],
    settings: ChatSettings = {},
    signal?: AbortSignal,
  ): Promise<ChatReply> {
    const { model, apiKey } = this.options;
    const { reply, usage } = await this.#server.request({
      method: 'POST',
      path: '/chat/completions',
      json: { model, messages, ...settings },
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      idempotent: true,
      read: readCompletion,
      signal,
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

function readCompletion(body: unknown): { reply: ChatReply; usage: Record<string, unknown> } {
  const { choices, usage } = record(body, 'the answer');
  const choice = record(Array.isArray(choices) ? choices[0] : undefined, 'choices[0]');
  const message = record(choice.message, 'choices[0].message');
  const { content, refusal } = message;
  if (typeof content !== 'string' && typeof refusal !== 'string') {
    throw new TypeError('choices[0].message has neither content nor refusal');
  }
  return {
    reply: {
      content: typeof content === 'string' ? content : '',
      finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : null,
      refusal: typeof refusal === 'string' ? refusal : null,
    },
    usage: typeof usage === 'object' && usage !== null ? { ...usage } : {},
  };
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${what} is no object`);
  return { ...value };
}

const count = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : 0);
