// Measures compilations and masks on the vocabulary of a large model.
import { join } from 'node:path';
import { ConstraintCompiler, GrammarError, TokenVocabulary } from '@bowyer/text';
import { tiktoken } from './tiktoken.js';
import { acceptedText, compiledSchema } from '../guaranteed-json.js';

/** The number of schemas after which a new compiler is made, as after as many requests of a server. */
const SCHEMAS_OF_COMPILER = 200;

export class MaskTimes {
  readonly #vocabulary: TokenVocabulary;
  readonly #mask: Uint32Array;
  readonly #masks: number[] = [];
  readonly #compilations: number[] = [];
  #compiler: ConstraintCompiler;

  private constructor(
    file: string,
    private readonly encode: (text: string) => number[],
  ) {
    this.#vocabulary = new TokenVocabulary(tiktoken(file));
    this.#mask = new Uint32Array(Math.ceil(this.#vocabulary.size / 32));
    this.#compiler = new ConstraintCompiler(this.#vocabulary);
  }

  /** @param installed the folder in which gpt-tokenizer is installed */
  static async of(installed: string): Promise<MaskTimes> {
    const folder = join(installed, 'node_modules/gpt-tokenizer');
    const library = (await import(join(folder, 'esm/encoding/o200k_base.js'))) as { encode(text: string): number[] };
    return new MaskTimes(join(folder, 'data/o200k_base.tiktoken'), (text) => library.encode(text));
  }

  /** Measures the compilation of a schema, and the mask before each token of its valid instances. */
  add(schema: unknown, instances: readonly unknown[]): void {
    const byBytes = compiledSchema(schema);
    if (typeof byBytes === 'string') return;
    if (this.#compilations.length % SCHEMAS_OF_COMPILER === SCHEMAS_OF_COMPILER - 1)
      this.#compiler = new ConstraintCompiler(this.#vocabulary);
    const begun = process.cpuUsage();
    const compiled = compiledSchema(schema, this.#compiler);
    this.#compilations.push(microseconds(begun));
    if (typeof compiled === 'string') return;
    for (const data of instances) {
      const text = acceptedText(byBytes, data);
      if (text === null) continue;
      const at = compiled.start();
      try {
        for (const id of [...this.encode(text), this.#vocabulary.endIds[0]]) {
          const before = process.cpuUsage();
          at.allowed(this.#mask);
          this.#masks.push(microseconds(before));
          if (id !== this.#vocabulary.endIds[0]) at.accept(id);
        }
      } catch (error) {
        if (!(error instanceof GrammarError)) throw error;
      }
    }
  }

  /** Writes one sentence about the measurements. */
  toString(): string {
    const [masks, compilations] = [this.#masks, this.#compilations].map((times) => times.sort((a, b) => a - b));
    const at = (times: readonly number[], share: number) => times[Math.floor(share * (times.length - 1))];
    const shares = (times: readonly number[]) =>
      [0.5, 0.95, 0.99].map((share) => Number(at(times, share).toPrecision(2)).toLocaleString('en')).join(', ');
    return (
      `The last run measured, in CPU time on ${this.#vocabulary.size.toLocaleString('en')} tokens, ` +
      `${masks.length.toLocaleString('en')} masks: median, 0.95 and 0.99 are ${shares(masks)} µs; and ` +
      `${compilations.length.toLocaleString('en')} compilations: ${shares(compilations)} µs.`
    );
  }
}

function microseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}
