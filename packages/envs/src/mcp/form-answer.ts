// Answers the forms that an MCP server asks its user to fill in during a call (elicitation). Episodes have no user, so that only
// the forms' defaults are sent.
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';

/**
 * Returns an answer with the defaults of a form (SEP-1034). A form with a required field that has no default is declined, and so
 * is a request to open a page in a browser.
 */
export function formAnswer(params: ElicitRequestParams): ElicitResult {
  if (params.mode === 'url') return { action: 'decline' };
  const { properties, required = [] } = params.requestedSchema;
  const content: NonNullable<ElicitResult['content']> = {};
  for (const [name, field] of Object.entries(properties))
    if (field.default !== undefined) content[name] = field.default;
  return required.every((name) => name in content) ? { action: 'accept', content } : { action: 'decline' };
}
