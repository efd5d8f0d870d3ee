// Collects the sampled tokens of one answer, with the versions of the model's weights that sampled them.
import type { SampledUtterance } from './answer.js';

export class Sampled {
  readonly #ids: number[] = [];
  readonly #logprobs: number[] = [];
  #masked: number[] | undefined;
  #terminated = false;
  readonly #versions: { from: number; version: number }[] = [];

  /** @param version returns the current version of the weights */
  constructor(private readonly version: () => number) {}

  /** @param masked with a constraint: the log-probabilities among only the tokens that it allowed */
  add(ids: readonly number[], logprobs: readonly number[], masked?: readonly number[]): void {
    const version = this.version();
    if (this.#versions.at(-1)?.version !== version) this.#versions.push({ from: this.#ids.length, version });
    this.#ids.push(...ids);
    this.#logprobs.push(...logprobs);
    if (masked) (this.#masked ??= []).push(...masked);
  }

  end(id: number, logprob: number, masked?: number): void {
    this.add([id], [logprob], masked === undefined ? undefined : [masked]);
    this.#terminated = true;
  }

  get tokens(): SampledUtterance {
    return {
      ids: this.#ids,
      logprobs: this.#logprobs,
      ...(this.#masked && { maskedLogprobs: this.#masked }),
      terminated: this.#terminated,
      versions: this.#versions,
    };
  }
}
