// Reads and validates fields of a config.json. Errors name the field, its value and the allowed values.

export type ConfigJson = Readonly<Record<string, unknown>>;

/** The error for a config.json with an unsupported setting. */
export class UnsupportedConfigError extends Error {
  override readonly name = 'UnsupportedConfigError';

  /** @param modelType the `model_type` of the config; null if that field itself is the unsupported one */
  constructor(
    readonly modelType: string | null,
    readonly field: string,
    readonly problem: string,
    readonly path = 'config.json',
  ) {
    super(`${path}${modelType === null ? '' : ` of a '${modelType}' model`}: ${field} ${problem}`);
  }
}

/** Calls `build`, and adds the file's path to an UnsupportedConfigError that it throws. */
export function fromConfigFile<T>(path: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof UnsupportedConfigError)) throw error;
    throw new UnsupportedConfigError(error.modelType, error.field, error.problem, path);
  }
}

/** The largest size in a config; a larger one means a damaged file, and would allocate too much memory. */
const MOST = 2 ** 31 - 1;
const MOST_LAYERS = 4096;

/** Reads the fields of a JSON object. An absent field has its default; null is Python's None. */
export class ConfigFields {
  constructor(
    readonly modelType: string,
    private readonly json: ConfigJson,
    private readonly defaults: ConfigJson,
    /** The path of the object in the file, such as `rope_scaling.`. */
    private readonly prefix = '',
  ) {}

  value(field: string): unknown {
    return (field in this.json ? this.json : this.defaults)[field] ?? undefined;
  }

  isNull(field: string): boolean {
    return this.json[field] === null;
  }

  count(field: string, most = MOST): number {
    const value = this.value(field);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
      throw this.error(field, `must be a positive integer, not ${JSON.stringify(value)}`);
    if (value > most) throw this.error(field, `is ${value}; no model has more than ${most}`);
    return value;
  }

  /** Reads a positive integer that is a multiple of another field. */
  multiple(field: string, divisor: string): number {
    const [value, parts] = [this.count(field), this.count(divisor)];
    if (value % parts !== 0) throw this.error(field, `is ${value}, not a multiple of ${divisor} ${parts}`);
    return value;
  }

  /** Reads a number of layers. Its limit is low, since all layers are built before the weights are opened. */
  layers(field: string): number {
    return this.count(field, MOST_LAYERS);
  }

  /** Reads a finite number of at least 0. */
  real(field: string): number {
    const value = this.value(field);
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw this.error(field, `must be a number of at least 0, not ${JSON.stringify(value)}`);
    return value;
  }

  flag(field: string): boolean {
    const value = this.value(field);
    if (typeof value !== 'boolean') throw this.error(field, `must be true or false, not ${JSON.stringify(value)}`);
    return value;
  }

  choice<T extends string>(field: string, known: readonly T[]): T {
    const value = this.value(field);
    if (!known.includes(value as T))
      throw this.error(field, `is ${JSON.stringify(value)}, which is not supported; known: ${known.join(', ')}`);
    return value as T;
  }

  /** Refuses an unsupported field that would change results, unless it is absent or has a value without effect. */
  refuse(field: string, ...harmless: unknown[]): void {
    const value = this.json[field] ?? null;
    if (value !== null && !harmless.includes(value))
      throw this.error(field, `is ${abbreviated(value)}, which is not supported`);
  }

  error(field: string, problem: string): UnsupportedConfigError {
    return new UnsupportedConfigError(this.modelType, this.prefix + field, problem);
  }
}

const abbreviated = (value: unknown) => {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
