// Runs the token loop of an encoder-decoder, which generates one target per source: it makes the inputs of each step, which
// computes one token of every batch row, and keeps the targets so far, until all have ended.
import type { KernelProgram } from '@bowyer/graph';
import { logitRuleInputs } from '../decoding/logit-inputs.js';
import type { LogitRules } from '../decoding/logit-rules.js';

/** The arguments of one call of the token loop, which generates a target for each of `rows` sources. */
export interface DecodeLoopArgs {
  rows: number;
  /** The tokens of the longest source; shorter ones are padded. */
  sourceTokens: number;
  /** [rows · sourceTokens] the token ids of the sources. */
  sourceIds: Int32Array;
  /** 1 for tokens, 0 for padding. */
  sourceMask: Float32Array;
  layers: number;
  heads: number;
  headSize: number;
  startId: number;
  /** The ids of tokens that must be generated first, and last if a target reaches its maximum length; −1: none. */
  forcedFirst: number;
  forcedLast: number;
  /** [rows · maxNewTokens] random numbers in [0, 1), one for each sampled token; empty for greedy decoding. */
  uniforms: Float32Array;
  temperature?: number;
  topP?: number;
  /** Rules by which the tokens so far change logits, if the sampler applies rules. */
  rules?: LogitRules;
  maxNewTokens: number;
  terminatorIds: readonly number[];
}

export interface DecodedTarget {
  /** The generated tokens, with the terminator if the target ended with one. */
  tokens: number[];
  logprobs: number[];
  samplingLogprobs: number[];
  terminated: boolean;
}

type Feeds = NonNullable<Parameters<KernelProgram['run']>[0]>;
export type LoopInputs = NonNullable<Feeds['inputs']>;
export type LoopOutputs = Awaited<ReturnType<KernelProgram['run']>>;

export class TargetLoop {
  readonly targets: DecodedTarget[];
  /** The number of tokens generated so far, which is the same for all active rows. */
  position = 0;
  /** The index into `targets` for each row of the batch. */
  #batch: number[];

  constructor(private readonly args: DecodeLoopArgs) {
    this.targets = Array.from({ length: args.rows }, () => ({
      tokens: [],
      logprobs: [],
      samplingLogprobs: [],
      terminated: false,
    }));
    this.#batch = this.targets.map((_, index) => index);
  }

  get rows(): number {
    return this.#batch.length;
  }

  get isRunning(): boolean {
    return this.#batch.some((index) => this.#goesOn(index));
  }

  #goesOn(index: number): boolean {
    return !this.targets[index].terminated && this.position < this.args.maxNewTokens;
  }

  inputs(): LoopInputs {
    const { startId, forcedFirst, forcedLast, uniforms, temperature, topP, maxNewTokens } = this.args;
    const ids = Int32Array.from(this.#batch, (index) => this.targets[index].tokens.at(-1) ?? startId);
    const own = Float32Array.from(this.#batch, (index) => uniforms[index * maxNewTokens + this.position]);
    const first = this.position === 0 ? forcedFirst : -1;
    const forced = first < 0 && this.position === maxNewTokens - 1 ? forcedLast : first;
    return {
      ids: { dims: [this.rows, 1], data: ids },
      position: { dims: [1], data: Int32Array.of(this.position) },
      forced: { dims: [], data: Int32Array.of(forced) },
      ...(uniforms.length > 0 && { uniforms: { dims: [this.rows], data: own } }),
      ...(temperature !== undefined && { temperature: { dims: [], data: Float32Array.of(temperature) } }),
      ...(topP !== undefined && { top_p: { dims: [], data: Float32Array.of(topP) } }),
      ...this.#logitInputs(),
    };
  }

  /** Makes the inputs for rules that change logits (such as a repetition penalty); they read the start token as text too. */
  #logitInputs(): LoopInputs {
    const { rules, startId, terminatorIds, forcedFirst } = this.args;
    if (!rules) return {};
    // `beginSuppressedIds` apply to the first token that the model chooses: the second one if the first is forced.
    const isFirst = this.position === (forcedFirst < 0 ? 0 : 1);
    const suppressedIds = [...rules.suppressedIds, ...(isFirst ? rules.beginSuppressedIds : [])];
    const ruled = {
      rules: { ...rules, suppressedIds, beginSuppressedIds: [] },
      text: [startId],
      newTokens: 0,
    };
    return logitRuleInputs(
      this.#batch.map((index) => ({ ruled, bias: [], generated: this.targets[index].tokens, terminatorIds })),
    );
  }

  /** Appends the tokens that a step has generated to the unfinished targets. */
  take({ tokens, logprobs, sampling_logprobs }: LoopOutputs): void {
    this.#batch.forEach((index, row) => {
      if (!this.#goesOn(index)) return;
      const target = this.targets[index];
      const token = Number(tokens.data[row]);
      target.tokens.push(token);
      target.logprobs.push(Number(logprobs.data[row]));
      target.samplingLogprobs.push(Number(sampling_logprobs.data[row]));
      target.terminated = this.args.terminatorIds.includes(token);
    });
    this.position++;
  }

  /** Removes finished rows once they are half of the batch or more. @returns the rest's indices; undefined if none is removed */
  shrink(): number[] | undefined {
    const kept = this.#batch.flatMap((index, row) => (this.#goesOn(index) ? [row] : []));
    if (kept.length === 0 || 2 * kept.length > this.#batch.length) return undefined;
    this.#batch = kept.map((row) => this.#batch[row]);
    return kept;
  }
}
