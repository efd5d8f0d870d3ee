// Plays environments with any OpenAI-compatible chat endpoint: the environment's texts are the user's messages, the agent's
// texts the assistant's.
import type { ActRequest, Player } from '@bowyer/algorithms';
import { HttpError, type OpenAiChat, type ChatMessage, type ChatSettings, type Decision } from '@bowyer/envs';
import type { OptionsOf } from '@bowyer/core';
import type { endpointNode } from '../keys/agent-keys.js';
import { openChat } from './open-chat.js';

export type EndpointConfig = OptionsOf<typeof endpointNode>;

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
    private readonly endpoint: EndpointConfig,
    private readonly utteranceEnd: string | null,
  ) {
    const { temperature, topP, maxTokens } = endpoint;
    this.#settings = { temperature, ...(topP !== null && { top_p: topP }), max_tokens: maxTokens };
  }

  /**
   * Opens a player behind an endpoint.
   *
   * @param utteranceEnd an action ends before this text; null: it is the whole reply
   */
  static open(endpoint: EndpointConfig, utteranceEnd: string | null): EndpointPlayer {
    return new EndpointPlayer(openChat('policy.endpoint', endpoint), endpoint, utteranceEnd);
  }

  /** Asks for all actions. A request that fails for good ends its own episode, unless every other one would fail as well. */
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
    // An answer without a word is one that environments call invalid. Thoughts are neither played nor sent back.
    const action = this.utteranceEnd === null ? content : content.split(this.utteranceEnd)[0];
    messages.push({ role: 'assistant', content });
    this.#dialogues.set(slot, { messages, text: observation + action });
    // No tokens are returned: those of the endpoint are not ours.
    return { action };
  }

  #opening(): ChatMessage[] {
    return this.endpoint.system === null ? [] : [{ role: 'system', content: this.endpoint.system }];
  }

  /** Returns requests, tokens and what they cost, of all replies that came. */
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
