/** The kind of error, for code that must distinguish causes without parsing messages. */
export type ConfigErrorKind =
  | 'override-syntax' // an override violates the grammar, or a function in it fails
  | 'composition' // the defaults list or an override cannot be applied
  | 'invalid-default' // an item of a defaults list has an invalid form
  | 'missing-config' // a file, group, option or config folder does not exist
  | 'cycle' // a config includes itself
  | 'yaml' // a file cannot be read as YAML 1.1
  | 'file' // a file or folder cannot be accessed
  | 'unknown-key' // no config declares the key
  | 'type' // a value has the wrong type for a typed key
  | 'interpolation-syntax'
  | 'interpolation-key' // the target of an interpolation does not exist
  | 'interpolation-missing' // the target is ???
  | 'interpolation' // the target or the resolver cannot provide a value, or there is a cycle
  | 'unknown-resolver'
  | 'sweep' // the sweep cannot be expanded
  | 'usage' // invalid flags on the command line
  | 'validation'; // the composed config violates its schema

export interface ConfigErrorPlace {
  /** The dotted path of the config key that the error is about. */
  keyPath?: string;
  file?: string;
  line?: number;
  column?: number;
  cause?: unknown;
  violations?: readonly Violation[];
}

/** A value in a config that violates the config's schema. */
export interface Violation extends Omit<ConfigErrorPlace, 'violations' | 'cause'> {
  readonly keyPath: string;
  /** The value that the schema requires, in words. */
  readonly expected: string;
  /** The value that the config has, as text. */
  readonly found: string;
  /** The known key or option that is most similar to the one in the config. */
  readonly nearest?: string;
  /** The complete message about the violation, for the user. */
  readonly message: string;
}

/** Thrown for all errors in configs. The message says what is wrong, where, and how to fix it; the fields are for code. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly keyPath?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** All violations of the schema, for an error of kind 'validation', in the order of the config. */
  readonly violations?: readonly Violation[];

  /**
   * @param summary one line that says what is wrong
   * @param details further lines, which are indented: where, the most similar known name, what to type
   */
  constructor(
    readonly kind: ConfigErrorKind,
    readonly summary: string,
    readonly details: readonly string[] = [],
    { keyPath, file, line, column, cause, violations }: ConfigErrorPlace = {},
  ) {
    super([summary, ...details.map((detail) => `  ${detail}`)].join('\n'), cause === undefined ? undefined : { cause });
    this.keyPath = keyPath;
    this.file = file;
    this.line = line;
    this.column = column;
    this.violations = violations;
  }
}

/** Writes `dir/file.yaml:3:7`, which editors and terminals turn into a link. */
export function placeText({ source, line, column }: { source: string; line?: number; column?: number }): string {
  return (
    source + (line === undefined ? '' : `:${line}`) + (line === undefined || column === undefined ? '' : `:${column}`)
  );
}
