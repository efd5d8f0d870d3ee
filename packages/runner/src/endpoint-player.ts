// Plays environments with any OpenAI-compatible chat endpoint: what the environment says are the user's messages, what the
// agent says the assistant's.
import type { Player, ReadyTurn } from '@bowyer/algorithms';
import type { TokenSegment } from '@bowyer/core';
import { OpenAiChat, type ChatMessage, type ChatSettings } from '@bowyer/envs';
import type { RunConfig } from './run-config.js';

type Endpoint = NonNullable<RunConfig['policy']['endpoint']>;

interface Dialogue {
  messages: ChatMessage[];
  /** The observation that the messages amount to; a longer one that begins so adds only its rest. */
  text: string;
}

export class EndpointPlayer implements Player {
  readonly #dialogues = new Map<number, Dialogue>();
  readonly #settings: ChatSettings;

  private constructor(
    private readonly chat: OpenAiChat,
    private readonly endpoint: Endpoint,
  ) {
    this.#settings = { temperature: endpoint.temperature, max_tokens: endpoint.maxTokens };
  }

  static open(endpoint: Endpoint): EndpointPlayer {
    const { baseUrl, model, apiKeyEnv, concurrency, retries } = endpoint;
    const apiKey = apiKeyEnv === null ? null : process.env[apiKeyEnv];
    if (apiKey === undefined)
      throw new Error(
        `policy.endpoint: the environment variable ${apiKeyEnv} is not set, which should hold the key of ${baseUrl}\n` +
          '  set it, or write policy.endpoint.api_key_env=null for a server that wants none',
      );
    return new EndpointPlayer(new OpenAiChat({ baseUrl, model, apiKey, concurrency, http: { retries } }), endpoint);
  }

  async act(ready: ReadyTurn[]): Promise<string[]> {
    return Promise.all(ready.map((turn) => this.#reply(turn)));
  }

  async #reply({ slot, turn, observation }: ReadyTurn): Promise<string> {
    const before = turn === 0 ? undefined : this.#dialogues.get(slot);
    const goesOn = before !== undefined && observation.startsWith(before.text);
    const messages: ChatMessage[] = goesOn ? before.messages : this.#opening();
    messages.push({ role: 'user', content: (goesOn ? observation.slice(before.text.length) : observation).trim() });
    const { content } = await this.chat.complete(messages, this.#settings);
    // One line, as the environments read an action; an answer without a word is one that they call invalid.
    const action = content.trim().split('\n')[0];
    messages.push({ role: 'assistant', content: content.trim() });
    this.#dialogues.set(slot, { messages, text: observation + action });
    return action;
  }

  #opening(): ChatMessage[] {
    return this.endpoint.system === null ? [] : [{ role: 'system', content: this.endpoint.system }];
  }

  /** Requests, tokens and what they cost. */
  usageText(): string {
    const { requests, promptTokens, completionTokens } = this.chat.usage;
    const { pricePerMillionPromptTokens: prompt, pricePerMillionCompletionTokens: completion } = this.endpoint;
    const cost = (promptTokens * prompt + completionTokens * completion) / 1e6;
    return `${requests} requests, ${promptTokens} prompt tokens, ${completionTokens} completion tokens, cost ${cost.toFixed(4)}`;
  }

  /** Tokens of the endpoint are not ours. */
  takeSegments(): TokenSegment[] {
    return [];
  }

  close(): Promise<void> {
    return this.chat.close();
  }
}
