// Answers the forms that an MCP server asks its user to fill in during a call (elicitation). Episodes have no user, so that only
// the forms' defaults are sent.
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';

/** Sends a form's defaults (SEP-1034). Declines forms whose required fields have none, and requests to open a web page. */
export function formAnswer(params: ElicitRequestParams): ElicitResult {
  if (params.mode === 'url') return { action: 'decline' };
  const { properties, required = [] } = params.requestedSchema;
  const content: NonNullable<ElicitResult['content']> = {};
  for (const [name, field] of Object.entries(properties))
    if (field.default !== undefined) content[name] = field.default;
  return required.every((name) => name in content) ? { action: 'accept', content } : { action: 'decline' };
}
