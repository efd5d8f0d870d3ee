// Encodes long texts in bounded steps, between which the server does other work. A chat template cannot pause, and is therefore
// rendered first to collect the texts that it encodes, and again with their encodings.
import type { Tokenizer } from '@bowyer/text';
import { inTurns } from '../http/turn.js';

/** The number of characters that one step may encode, which takes a few milliseconds. */
const AT_ONCE = 8_192;

interface Pass {
  known: ReadonlyMap<string, number[]>;
  /** Texts to encode before `encodeAll` is called again, each with a prefix letter for the kind of encoding. */
  missing: Set<string>;
  charactersLeft: number;
}

export interface StepOptions {
  /** The number of token ids after which an encoding may stop. */
  maxTokens: number;
  signal: AbortSignal;
}

export class SteppedTokenizer implements Tokenizer {
  readonly vocabSize: number;
  readonly eosTokenId: number;
  readonly padTokenId: number;
  readonly longestToken: number;
  readonly config?: Readonly<Record<string, unknown>>;
  #pass: Pass | null = null;

  constructor(private readonly tokenizer: Tokenizer) {
    const { vocabSize, eosTokenId, padTokenId, longestToken, config } = tokenizer;
    Object.assign(this, { config });
    [this.vocabSize, this.eosTokenId, this.padTokenId] = [vocabSize, eosTokenId, padTokenId];
    this.longestToken = longestToken;
  }

  /**
   * Calls `encodeAll`, which encodes with this tokenizer, once or twice; only the last call gets complete encodings.
   *
   * @throws the signal's reason once it is aborted
   */
  async inSteps<Result>(encodeAll: () => Result, { maxTokens, signal }: StepOptions): Promise<Result> {
    const known = new Map<string, number[]>();
    for (;;) {
      const pass: Pass = { known, missing: new Set(), charactersLeft: AT_ONCE };
      const result = this.#run(encodeAll, pass);
      if (pass.missing.size === 0) return result;
      for (const key of pass.missing) {
        const steps = this.tokenizer.encodeInSteps(key.slice(1), { special: key.startsWith('s'), maxTokens });
        known.set(key, await inTurns(steps, signal));
      }
    }
  }

  encode(text: string): number[] {
    return this.#encoded(`p${text}`, () => this.tokenizer.encode(text));
  }

  encodeWithSpecials(text: string): number[] {
    return this.#encoded(`s${text}`, () => this.tokenizer.encodeWithSpecials(text));
  }

  encodeInSteps(...given: Parameters<Tokenizer['encodeInSteps']>): Generator<undefined, number[]> {
    return this.tokenizer.encodeInSteps(...given);
  }

  decode(...given: Parameters<Tokenizer['decode']>): string {
    return this.tokenizer.decode(...given);
  }

  decodeBytes(ids: ArrayLike<number>): Uint8Array {
    return this.tokenizer.decodeBytes(ids);
  }

  tokenToId(token: string): number | undefined {
    return this.tokenizer.tokenToId(token);
  }

  save(dir: string): Promise<void> {
    return this.tokenizer.save(dir);
  }

  #run<Result>(encodeAll: () => Result, pass: Pass): Result {
    this.#pass = pass;
    try {
      return encodeAll();
    } finally {
      this.#pass = null;
    }
  }

  #encoded(key: string, encode: () => number[]): number[] {
    const pass = this.#pass;
    if (pass === null) return encode();
    const known = pass.known.get(key);
    if (known !== undefined) return known;
    pass.charactersLeft -= key.length;
    if (pass.charactersLeft >= 0) return encode();
    pass.missing.add(key);
    return [];
  }
}
