// Plays environments with any OpenAI-compatible chat endpoint: the environment's texts are the user's messages, the agent's texts
// are the assistant's.
import type { ActRequest, Player } from '@bowyer/algorithms';
import { HttpError, type OpenAiChat, type ChatMessage, type ChatSettings, type Decision } from '@bowyer/envs';
import type { OptionsOf } from '@bowyer/core';
import type { endpointNode } from '../keys/play-keys.js';
import { openChat } from './open-chat.js';

export type EndpointConfig = OptionsOf<typeof endpointNode>;

interface Dialogue {
  messages: ChatMessage[];
  /** The observation as far as the messages contain it. If the next one begins with this text, only the rest is sent. */
  text: string;
}

export class EndpointPlayer implements Player {
  readonly #dialogues = new Map<number, Dialogue>();
  readonly #settings: ChatSettings;

  private constructor(
    private readonly chat: OpenAiChat,
    private readonly endpoint: EndpointConfig,
    private readonly utteranceEnd: string | null,
  ) {
    const { temperature, topP, maxTokens } = endpoint;
    this.#settings = { temperature, ...(topP !== null && { top_p: topP }), max_tokens: maxTokens };
  }

  /**
   * Opens a player whose actions come from a model behind a chat endpoint.
   *
   * @param utteranceEnd the text at which an action ends; null: the whole reply is the action
   */
  static open(endpoint: EndpointConfig, utteranceEnd: string | null): EndpointPlayer {
    return new EndpointPlayer(openChat('policy.endpoint', endpoint), endpoint, utteranceEnd);
  }

  /**
   * Requests the actions of all episodes at the same time. A request that fails after all retries ends its own episode only,
   * unless the error would make every other request fail too.
   */
  async act(requests: ActRequest[]): Promise<(Decision<never> | Error)[]> {
    return Promise.all(requests.map((request) => this.#reply(request).catch((error: unknown) => this.#failed(error))));
  }

  #failed(error: unknown): Error {
    if (!(error instanceof HttpError)) throw error;
    const { baseUrl, model, apiKeyEnv } = this.endpoint;
    const key = apiKeyEnv === null ? 'no key was sent (policy.endpoint.api_key_env=null)' : `the key in ${apiKeyEnv}`;
    if (error.status === 401 || error.status === 403)
      throw new Error(`policy.endpoint: ${baseUrl} refuses access: ${key}\n  ${error.message}`);
    if (error.status === 404)
      throw new Error(
        `policy.endpoint: ${baseUrl} has no chat completions of the model '${model}'\n  ${error.message}\n` +
          '  base_url is the address up to the version (http://HOST:PORT/v1); GET base_url/models lists the models',
      );
    return error;
  }

  async #reply({ slot, turn, observation, rng }: ActRequest): Promise<Decision<never>> {
    const before = turn === 0 ? undefined : this.#dialogues.get(slot);
    const goesOn = before !== undefined && observation.startsWith(before.text);
    const messages: ChatMessage[] = goesOn ? before.messages : this.#opening();
    messages.push({ role: 'user', content: (goesOn ? observation.slice(before.text.length) : observation).trim() });
    const seed = this.endpoint.sendsSeed ? { seed: rng.uint32() } : {};
    const { content } = await this.chat.complete(messages, { ...this.#settings, ...seed });
    // An empty reply is played as an empty action, which environments call invalid. The model's reasoning is neither played nor
    // sent back in later requests.
    const action = this.utteranceEnd === null ? content : content.split(this.utteranceEnd)[0];
    messages.push({ role: 'assistant', content });
    this.#dialogues.set(slot, { messages, text: observation + action });
    // The result has no token ids, since the endpoint may have another tokenizer.
    return { action };
  }

  #opening(): ChatMessage[] {
    return this.endpoint.system === null ? [] : [{ role: 'system', content: this.endpoint.system }];
  }

  /** Returns the number of requests and tokens, and their costs, over all replies. */
  get usage(): { header: string[]; rows: string[][] } {
    const { requests, promptTokens, completionTokens } = this.chat.usage;
    const { model, pricePerMillionPromptTokens: prompt, pricePerMillionCompletionTokens: completion } = this.endpoint;
    const costs = [(promptTokens * prompt) / 1e6, (completionTokens * completion) / 1e6];
    const header = [model, 'requests', 'tokens', 'price a million', 'cost'];
    const rows = [
      ['prompts', '', String(promptTokens), String(prompt), costs[0].toFixed(4)],
      ['completions', '', String(completionTokens), String(completion), costs[1].toFixed(4)],
      ['all', String(requests), String(promptTokens + completionTokens), '', (costs[0] + costs[1]).toFixed(4)],
    ];
    return { header, rows };
  }

  close(): Promise<void> {
    return this.chat.close();
  }
}
