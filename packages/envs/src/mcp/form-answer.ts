// Answers forms that a server shows to its user during a call (elicitation). Episodes have no user, so that only defaults are
// sent.
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';

/**
 * Returns the defaults of a form (SEP-1034). A form whose required field has no default, and a page in a browser, are declined.
 */
export function formAnswer(params: ElicitRequestParams): ElicitResult {
  if (params.mode === 'url') return { action: 'decline' };
  const { properties, required = [] } = params.requestedSchema;
  const content: NonNullable<ElicitResult['content']> = {};
  for (const [name, field] of Object.entries(properties))
    if (field.default !== undefined) content[name] = field.default;
  return required.every((name) => name in content) ? { action: 'accept', content } : { action: 'decline' };
}
