/** A JSON Schema (draft 7); TypeBox schemas are such objects. */
export type JsonSchema = Readonly<Record<string, unknown>>;
