// Plays rollouts with a copy of the policy that an OpenAI-compatible server runs. Prompts are sent as token ids, and answers come
// with token ids and log-probabilities: nothing is tokenized twice, and losses are weighted by π/μ, where μ is the server's
// policy. Source: vLLM's completions (`return_token_ids`, `stop_token_ids`), which the task `serve_model` supports too.
import {
  withTerminators,
  type ActRequest,
  type Dialogue,
  type Dialogues,
  type OpenPlayer,
  type Player,
  type TurnTokens,
} from '@bowyer/algorithms';
import { HttpError, HttpServer, NoAnswer, onlyChoice, type Decision } from '@bowyer/envs';
import type { LanguageModel, SamplingOptions } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';
import { spokenIds, type OptionsOf } from '@bowyer/core';
import type { remotePolicyNode } from '../keys/play-keys.js';

export type RemotePolicyConfig = OptionsOf<typeof remotePolicyNode>;

/** The number of tokens in the text by which the server's tokenizer is compared with the policy's. */
const PROBED = 24;

interface Completion {
  promptIds: number[];
  /** The token ids of the answer, including the token that ends it. */
  ids: number[];
  logprobs: number[];
  stopped: boolean;
}

interface Slot {
  dialogue: Dialogue;
  context: number[];
}

class RemoteRollouts implements AsyncDisposable {
  /** Logit biases of −100 for the tokens that are masked when the policy samples, since it could not learn from them. */
  readonly #banned: Record<number, number> | undefined;

  private constructor(
    private readonly server: HttpServer,
    private readonly config: RemotePolicyConfig,
    private readonly policy: Pick<LanguageModel, 'tokenizer' | 'contextLength' | 'maskedTokenIds'>,
    private readonly dialogues: Dialogues,
  ) {
    const masked = policy.maskedTokenIds;
    this.#banned = masked.length > 0 ? Object.fromEntries(masked.map((id) => [id, -100])) : undefined;
  }

  /** Throws where the server has no such model, returns no token ids, or has another tokenizer than the policy. */
  static async open(
    config: RemotePolicyConfig,
    { policy, dialogues }: { policy: LanguageModel; dialogues: Dialogues },
  ): Promise<RemoteRollouts> {
    const { baseUrl, concurrency, retries, timeoutMs } = config;
    const server = new HttpServer(baseUrl!, { connections: concurrency, retries, answerTimeoutMs: timeoutMs });
    const remote = new RemoteRollouts(server, config, policy, dialogues);
    try {
      await remote.#checkTokens(policy.tokenizer);
      return remote;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** @param slots the number of episodes that are played at the same time */
  openPlayer(slots: number): OpenPlayer {
    return (sampling) => {
      const own = Array.from({ length: slots }, (): Slot => ({ dialogue: this.dialogues.open(), context: [] }));
      return Promise.resolve(new RemotePlayer(this, own, withTerminators(sampling, this.dialogues)));
    };
  }

  async act(slot: Slot, request: ActRequest, sampling: SamplingOptions): Promise<Decision<TurnTokens> | Error> {
    const { keep, tokens } = slot.dialogue.advance(request, slot.context);
    slot.context = [...slot.context.slice(0, keep), ...tokens];
    // The oldest tokens of the context are dropped if it leaves too little space for the answer, as with a policy in this
    // process.
    const prompt = slot.context.slice(-(this.policy.contextLength - sampling.maxNewTokens));
    const { temperature, topP, topK, greedy, maxNewTokens, terminatorIds } = sampling;
    const seed = request.rng.uint32();
    let answer: Completion;
    try {
      answer = await this.#complete({
        prompt,
        seed,
        max_tokens: maxNewTokens,
        stop_token_ids: terminatorIds,
        top_p: topP,
        temperature: greedy ? 0 : temperature,
        top_k: topK === 0 ? -1 : topK,
        logit_bias: this.#banned,
      });
    } catch (error) {
      return this.#failed(error);
    }
    const { ids, logprobs, stopped } = answer;
    const utterance = { ids, logprobs, terminated: stopped && terminatorIds.includes(ids.at(-1)!) };
    const decision = slot.dialogue.decide(utterance, prompt.length);
    slot.context.push(...spokenIds(utterance));
    return decision;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.close();
  }

  #complete(settings: object): Promise<Completion> {
    const { model, apiKeyEnv } = this.config;
    const key = apiKeyEnv === null ? undefined : process.env[apiKeyEnv];
    return this.server.request({
      method: 'POST',
      path: '/completions',
      json: { ...(model !== null && { model }), logprobs: 0, return_token_ids: true, ...settings },
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      idempotent: true, // a repeated request with the same seed has the same effect
      read: completionOf,
    });
  }

  /** Returns an error that ends its own episode only; throws one that would make every other request fail too. */
  #failed(error: unknown): Error {
    if (error instanceof HttpError && ![400, 401, 403, 404].includes(error.status ?? 0)) return error;
    throw error;
  }

  async #checkTokens(tokenizer: Tokenizer): Promise<void> {
    const { baseUrl } = this.config;
    const text = probeOf(tokenizer);
    const { promptIds } = await this.#complete({ prompt: text, max_tokens: 1, temperature: 0 }).catch(
      (error: Error) => {
        throw new Error(
          `remote_policy: ${baseUrl} does not answer completions with token ids: ${error.message}\n` +
            '  it must answer POST /completions with return_token_ids and logprobs, as vLLM and serve_model do',
        );
      },
    );
    const own = [tokenizer.encode(text), tokenizer.encodeWithSpecials(text)];
    if (own.some((ids) => ids.join() === promptIds.join())) return;
    throw new Error(
      `remote_policy: ${baseUrl} has another tokenizer than the policy: ${JSON.stringify(text)} is ${promptIds.join(' ')} there ` +
        `and ${own[0].join(' ')} here\n  give a server with the policy's tokenizer, since the policy learns from these tokens`,
    );
  }
}

/** Returns a text of tokens from all parts of the vocabulary, by which two tokenizers are compared. */
function probeOf(tokenizer: Tokenizer): string {
  const stride = Math.max(1, Math.floor(tokenizer.vocabSize / PROBED));
  const ids = Array.from(
    { length: Math.min(PROBED, tokenizer.vocabSize) },
    (_, i) => tokenizer.vocabSize - 1 - i * stride,
  );
  return ids
    .map((id) => tokenizer.decode([id]))
    .filter((text) => !text.includes('\uFFFD'))
    .join('');
}

/**
 * Connects to the server that plays a run's rollouts; returns undefined if the config has no address, since the policy in this
 * process then plays.
 */
export async function openRemoteRollouts(
  config: RemotePolicyConfig | undefined,
  agent: { policy: LanguageModel; dialogues: Dialogues },
): Promise<RemoteRollouts | undefined> {
  return config === undefined || config.baseUrl === null ? undefined : RemoteRollouts.open(config, agent);
}

class RemotePlayer implements Player {
  constructor(
    private readonly remote: RemoteRollouts,
    private readonly slots: readonly Slot[],
    private readonly sampling: SamplingOptions,
  ) {}

  act(requests: ActRequest[]): Promise<(Decision<TurnTokens> | Error)[]> {
    return Promise.all(requests.map((request) => this.remote.act(this.slots[request.slot], request, this.sampling)));
  }

  async close(): Promise<void> {}
}

/**
 * Reads the token ids and log-probabilities of an answer.
 *
 * @throws {NoAnswer} without an answer; {TypeError} for an answer without ids, or without log-probabilities of all of them
 */
function completionOf(body: unknown): Completion {
  type Choice = {
    token_ids?: number[];
    prompt_token_ids?: number[];
    finish_reason?: string;
    logprobs?: { token_logprobs?: (number | null)[] } | null;
  };
  const { token_ids: ids, prompt_token_ids: promptIds, finish_reason: reason, logprobs } = onlyChoice(body) as Choice;
  if (!Array.isArray(ids) || !Array.isArray(promptIds)) throw new TypeError('no token_ids and prompt_token_ids');
  if (ids.length === 0)
    throw new NoAnswer(`the answer has no tokens: finish_reason is ${JSON.stringify(reason ?? null)}`);
  const values = logprobs?.token_logprobs ?? [];
  if (values.length !== ids.length || !values.every(Number.isFinite))
    throw new TypeError(`${values.length} log-probabilities of ${ids.length} tokens`);
  return { ids, promptIds, logprobs: values as number[], stopped: reason === 'stop' };
}
