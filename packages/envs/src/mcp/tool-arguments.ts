// Validates the arguments of tool calls and structured results against the tools' JSON schemas: drafts 6, 7, 2019-09 and 2020-12.
import type { Tool } from '@modelcontextprotocol/client';
import { schemaThread, SchemaLimitError } from './schema-thread.js';

/** A validator of a tool's arguments. It returns the reason why they are invalid; null if they are valid. */
export type ArgumentsFault = (given: Readonly<Record<string, unknown>>) => Promise<string | null>;

/** Returns a validator of arguments for each tool, by the tool's name. @throws if a schema cannot be compiled */
export async function argumentChecks(tools: readonly Tool[]): Promise<ReadonlyMap<string, ArgumentsFault>> {
  for (const { name, inputSchema } of tools)
    await schemaThread.check({ schema: JSON.stringify(inputSchema), value: null }).catch((error: Error) => {
      throw new Error(`the schema of the tool '${name}' cannot be used: ${error.message}`, { cause: error });
    });
  return new Map(tools.map(({ name, inputSchema }) => [name, (given) => faultOf(inputSchema, given, 'arguments')]));
}

/** Returns the reason why the structured result of a tool is invalid; null if it is valid, or the tool has no output schema. */
export function resultFault({ outputSchema }: Pick<Tool, 'outputSchema'>, content: unknown): Promise<string | null> {
  return outputSchema === undefined || content === undefined
    ? Promise.resolve(null)
    : faultOf(outputSchema, content, 'structuredContent');
}

/** Validates a value against a schema, and returns the reason why it is invalid. @param name of the value in messages */
async function faultOf(schema: object, value: unknown, name: string): Promise<string | null> {
  const work = { schema: JSON.stringify(schema), value: JSON.stringify(value) };
  const fault = await schemaThread.check(work).catch((error: unknown) => {
    if (error instanceof SchemaLimitError) return error.message;
    throw error;
  });
  return fault?.replaceAll(/\bdata\b(?=[ /])/g, name) ?? null;
}
