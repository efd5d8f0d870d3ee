/** A JSON Schema asks for something that answers cannot be held to, or contradicts itself. */
export class UnsupportedSchemaError extends Error {
  override readonly name = 'UnsupportedSchemaError';

  /**
   * @param keyword e.g. `not`
   * @param path of the schema that has it, as a JSON pointer in a fragment: `#/properties/name`
   */
  constructor(
    readonly keyword: string,
    readonly path: string,
    problem: string,
  ) {
    super(`JSON Schema: '${keyword}' at ${path} ${problem}`);
  }
}
