// Computes the Tinker API's samples and log-probabilities with the model server's engine, in batches across adapters.
import { Rng } from '@bowyer/core';
import type { TopLogprobs } from '@bowyer/models';
import { QueueFullError, type ServedEngine } from '@bowyer/serving';
import { RequestError } from '../request-error.js';
import { EMPTY, type SampleResult } from '../wire/results.js';
import type { AdapterPlaces, NamedAdapter } from './adapter-places.js';
import { completionOf, type SampleSettings } from './sample-settings.js';

/** Milliseconds to wait before sampling is tried again, when requests of other API protocols have filled the engine's queue. */
const RETRY_MS = 50;

export class Sampler {
  readonly #stop = new AbortController();

  constructor(
    private readonly engine: ServedEngine,
    private readonly places: AdapterPlaces,
  ) {}

  /** @param adapter null for the base model */
  async sample(adapter: NamedAdapter | null, settings: SampleSettings): Promise<SampleResult> {
    const { signal } = this.#stop;
    const { scoresPrompt, prompt, topK } = settings;
    const completed = await this.#begun(adapter, (name) =>
      this.engine.generator.run(completionOf(name, settings), signal, () => undefined),
    );
    if (completed.aborted) throw new RequestError('the server has stopped');
    return {
      sequences: completed.choices.map(({ sampled, finishReason }) => ({
        stopReason: finishReason === 'length' ? 'length' : 'stop',
        tokens: sampled!.ids,
        logprobs: sampled!.logprobs,
      })),
      promptLogprobs: scoresPrompt ? await this.#promptLogprobs(adapter, prompt) : null,
      topK: topK > 0 ? await this.#topK(adapter, prompt, topK) : null,
      cachedTokens: completed.usage.cachedPromptTokens,
    };
  }

  async #begun<Result>(adapter: NamedAdapter | null, begin: (name: string) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await this.places.with(adapter, begin);
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #promptLogprobs(adapter: NamedAdapter | null, prompt: readonly number[]): Promise<Float32Array> {
    const [scores] = await this.#begun(adapter, async (name) => {
      const { adapter: loaded, release } = this.engine.adapters.use(name);
      try {
        return await this.engine.batcher.score([prompt], loaded);
      } finally {
        release();
      }
    });
    return Float32Array.of(NaN, ...scores);
  }

  /** The engine reports likely tokens only where it samples, so this samples one token after each prefix of the prompt. */
  async #topK(
    adapter: NamedAdapter | null,
    prompt: readonly number[],
    k: number,
  ): Promise<NonNullable<SampleResult['topK']>> {
    const ids = new Int32Array(prompt.length * k).fill(EMPTY.id);
    const logprobs = new Float32Array(prompt.length * k).fill(EMPTY.logprob);
    for (let t = 1; t < prompt.length; t++) {
      const top = await this.#begun(adapter, (name) => this.#mostLikely(name, prompt.slice(0, t)));
      for (let j = 0; j < Math.min(k, top.ids.length); j++) {
        ids[t * k + j] = top.ids[j];
        logprobs[t * k + j] = top.logprobs[j];
      }
    }
    return { ids, logprobs, k, promptLength: prompt.length };
  }

  async #mostLikely(name: string, promptIds: readonly number[]): Promise<TopLogprobs> {
    const { adapter, release } = this.engine.adapters.use(name);
    let found: TopLogprobs | undefined;
    try {
      const [end] = this.engine.batcher.submit([
        {
          promptIds,
          maxNewTokens: 1,
          sampling: { temperature: 1, topK: 0, topP: 1, greedy: true },
          adapter,
          terminatorIds: [],
          returnsTopLogprobs: true,
          rng: new Rng(0),
          signal: this.#stop.signal,
          onTokens: (_ids, _logprobs, [top]) => {
            found = top;
            return false;
          },
        },
      ]);
      await end;
    } finally {
      release();
    }
    return found!;
  }

  close(): void {
    this.#stop.abort();
  }
}
