/** The error for a JSON Schema that asks for something that answers cannot be held to, or contradicts itself. */
export class UnsupportedSchemaError extends Error {
  override readonly name = 'UnsupportedSchemaError';

  /**
   * @param keyword e.g. `not`; null: the schema as a whole
   * @param path of the schema that has it, as a JSON pointer in a fragment: `#/properties/name`
   */
  constructor(
    readonly keyword: string | null,
    readonly path: string,
    problem: string,
  ) {
    super(`JSON Schema: ${keyword === null ? 'the schema' : `'${keyword}'`} at ${path} ${problem}`);
  }
}
