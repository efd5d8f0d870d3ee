// The one class of everything that can go wrong between the YAML files and a resolved config.

/** The kind of mistake, for code that must distinguish causes without parsing messages. */
export type ConfigErrorKind =
  | 'override-syntax' // an override does not follow the grammar, or a function in it fails
  | 'composition' // the defaults list or an override cannot be applied
  | 'invalid-default' // an item of a defaults list has a form that means nothing
  | 'missing-config' // a file, group, option or config folder does not exist
  | 'cycle' // a config includes itself
  | 'yaml' // a file cannot be read as YAML 1.1
  | 'file' // a file or folder cannot be read
  | 'unknown-key' // a key that no config declares
  | 'type' // a value of the wrong type for a typed key
  | 'interpolation-syntax'
  | 'interpolation-key' // the target of an interpolation does not exist
  | 'interpolation-missing' // the target is ???
  | 'interpolation' // the target or the resolver cannot give a value; cycles too
  | 'unknown-resolver'
  | 'sweep' // the sweep cannot be expanded
  | 'usage' // wrong flags on the command line
  | 'validation'; // the composed config violates its schema

export interface ConfigErrorPlace {
  /** Dotted path of the key the error is about. */
  keyPath?: string;
  file?: string;
  line?: number;
  column?: number;
  cause?: unknown;
  violations?: readonly Violation[];
}

/** One way in which a config breaks its schema. */
export interface Violation extends Omit<ConfigErrorPlace, 'violations' | 'cause'> {
  readonly keyPath: string;
  /** The value that the schema asks for, in words. */
  readonly expected: string;
  /** The value that is there, as text. */
  readonly found: string;
  /** The nearest known key or option. */
  readonly nearest?: string;
  /** The whole report of this violation. */
  readonly message: string;
}

/** The error for all mistakes in configs. It says what is wrong, where, and how to fix it; `keyPath`, `file`, `line` and `column` are for code. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly keyPath?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Everything that is wrong, for kind 'validation', in the order of the config. */
  readonly violations?: readonly Violation[];

  /**
   * Writes the message, a line for the summary and one for each detail.
   *
   * @param kind the cause
   * @param summary one line: what is wrong
   * @param details further lines, indented below it: where, nearest known name, what to type
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

/** Writes `dir/file.yaml:3:7`, as editors and terminals link it. */
export function placeText({ source, line, column }: { source: string; line?: number; column?: number }): string {
  return (
    source + (line === undefined ? '' : `:${line}`) + (line === undefined || column === undefined ? '' : `:${column}`)
  );
}
