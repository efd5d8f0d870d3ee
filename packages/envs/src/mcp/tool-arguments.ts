// Arguments of calls against the JSON schemas of tools, by ajv as the SDK brings it: drafts 6, 7, 2019-09 and 2020-12.
import type { JsonSchemaType, Tool } from '@modelcontextprotocol/client';

/** @returns what is wrong with the arguments; null where nothing is */
export type ArgumentsFault = (given: Readonly<Record<string, unknown>>) => string | null;

/** A check for each tool, by its name. */
export async function argumentChecks(tools: readonly Tool[]): Promise<ReadonlyMap<string, ArgumentsFault>> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  const validator = new AjvJsonSchemaValidator();
  return new Map(
    tools.map(({ name, inputSchema }) => {
      const validate = validator.getValidator(inputSchema as JsonSchemaType);
      return [name, (given) => validate(given).errorMessage?.replaceAll(/\bdata\b(?=[ /])/g, 'arguments') ?? null];
    }),
  );
}
