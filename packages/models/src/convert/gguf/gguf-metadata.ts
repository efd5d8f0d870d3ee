// Reads values of a GGUF file's metadata by key, and checks their types.
import { WeightsFileError, type GgufFile, type GgufValue } from '@bowyer/checkpoints';

const NOT_READ =
  'only language models whose family docs/models/checkpoints.md lists are read: use the model in Hugging Face layout';

/** The names of tensors that contain factors of the rotary frequencies, which are constants and no weights. */
export const positionTensors = ['rope_freqs.weight', 'rope_factors_long.weight', 'rope_factors_short.weight'];

/** Reads metadata of a GGUF file by key; its errors name the file and the key. */
export class GgufMetadata {
  /** The name of the model's architecture in llama.cpp. */
  readonly arch: string;

  private constructor(
    readonly file: GgufFile,
    /** The values of the tensors `positionTensors` that the file has, by name. */
    readonly vectors: Readonly<Record<string, Float32Array>>,
  ) {
    this.arch = this.text('general.architecture');
  }

  static async of(file: GgufFile): Promise<GgufMetadata> {
    const names = positionTensors.filter((name) => file.tensors.has(name));
    const vectors = await Promise.all(names.map(async (name) => [name, await file.read(name)] as const));
    return new GgufMetadata(file, Object.fromEntries(vectors));
  }

  fail(problem: string, remedy = NOT_READ): WeightsFileError {
    return new WeightsFileError(this.file.path, problem, remedy);
  }

  /** Returns the value of a key, undefined if there is none; a key that begins with a dot follows the architecture's name. */
  value(key: string): GgufValue | undefined {
    return this.file.metadata.get(key.startsWith('.') ? `${this.arch}${key}` : key);
  }

  has(key: string): boolean {
    return this.value(key) !== undefined;
  }

  text(key: string, otherwise?: string): string {
    return this.#typed(key, 'string', otherwise);
  }

  flag(key: string, otherwise?: boolean): boolean {
    return this.#typed(key, 'boolean', otherwise);
  }

  /** Reads a number; one in float32 becomes the shortest decimal that rounds to it, e.g. 0.1 instead of 0.10000000149. */
  number(key: string, otherwise?: number): number {
    return decimal(this.#typed(key, 'number', otherwise));
  }

  /** Reads a number that some files state once and others list for each layer; the layers must all have the same number. */
  sameNumber(key: string, otherwise?: number): number {
    const value = this.value(key);
    if (!Array.isArray(value)) return this.number(key, otherwise);
    const [first] = value as GgufValue[];
    if (typeof first !== 'number' || value.some((other: GgufValue) => other !== first))
      throw this.fail(`${this.#name(key)} differs between the layers, which is not supported for ${this.arch}`);
    return first;
  }

  texts(key: string): string[] {
    return this.#list(key, 'string') as string[];
  }

  numbers(key: string): number[] {
    return this.#list(key, 'number') as number[];
  }

  #list(key: string, type: string): GgufValue[] {
    const value = this.value(key);
    if (Array.isArray(value) && value.every((element) => typeof element === type)) return value as GgufValue[];
    throw this.fail(
      `its metadata has no ${this.#name(key)} that is a list of ${type}s`,
      'the file is damaged or has no model',
    );
  }

  #typed(key: string, type: 'string', otherwise?: string): string;
  #typed(key: string, type: 'number', otherwise?: number): number;
  #typed(key: string, type: 'boolean', otherwise?: boolean): boolean;
  #typed(key: string, type: string, otherwise?: GgufValue): GgufValue {
    const value = this.value(key) ?? otherwise;
    if (typeof value === type) return value!;
    const found = value === undefined ? 'none' : JSON.stringify(value).slice(0, 40);
    throw this.fail(
      `its metadata: expected ${this.#name(key)}, a ${type}, found ${found}`,
      'the file is damaged or has no model',
    );
  }

  #name(key: string): string {
    return key.startsWith('.') ? `${this.arch}${key}` : key;
  }
}

/** Returns the shortest decimal number that float32 rounds to the given number. */
export function decimal(value: number): number {
  if (Math.fround(value) !== value || Number.isInteger(value)) return value;
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
