// Validates arguments of calls and structured results against the JSON schemas of tools: drafts 6, 7, 2019-09 and 2020-12.
import type { Tool } from '@modelcontextprotocol/client';
import { schemaThread, SchemaLimitError } from './schema-thread.js';

/** Returns the reason why arguments are invalid; null if they are valid. */
export type ArgumentsFault = (given: Readonly<Record<string, unknown>>) => Promise<string | null>;

/** Returns a validator for each tool, by name. @throws if a schema cannot be compiled */
export async function argumentChecks(tools: readonly Tool[]): Promise<ReadonlyMap<string, ArgumentsFault>> {
  for (const { name, inputSchema } of tools)
    await schemaThread.check({ schema: JSON.stringify(inputSchema), value: null }).catch((error: Error) => {
      throw new Error(`the schema of the tool '${name}' cannot be used: ${error.message}`, { cause: error });
    });
  return new Map(tools.map(({ name, inputSchema }) => [name, (given) => faultOf(inputSchema, given, 'arguments')]));
}

/** Returns the reason why a structured result is invalid; null if it is valid, or the tool has no output schema. */
export function resultFault({ outputSchema }: Pick<Tool, 'outputSchema'>, content: unknown): Promise<string | null> {
  return outputSchema === undefined || content === undefined
    ? Promise.resolve(null)
    : faultOf(outputSchema, content, 'structuredContent');
}

/** Validates a value. @param name of the value in messages */
async function faultOf(schema: object, value: unknown, name: string): Promise<string | null> {
  const work = { schema: JSON.stringify(schema), value: JSON.stringify(value) };
  const fault = await schemaThread.check(work).catch((error: unknown) => {
    if (error instanceof SchemaLimitError) return error.message;
    throw error;
  });
  return fault?.replaceAll(/\bdata\b(?=[ /])/g, name) ?? null;
}
