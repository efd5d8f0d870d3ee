/** Thrown for a JSON Schema that constrained sampling cannot enforce, or that contradicts itself. */
export class UnsupportedSchemaError extends Error {
  override readonly name = 'UnsupportedSchemaError';

  /** `keyword`: e.g. `not`; null: the schema as a whole. `path`: a JSON pointer as a URI fragment: `#/properties/name`. */
  constructor(
    readonly keyword: string | null,
    readonly path: string,
    problem: string,
  ) {
    super(`JSON Schema: ${keyword === null ? 'the schema' : `'${keyword}'`} at ${path} ${problem}`);
  }
}
