// Reads the inputs that a request gives to the chat template in addition to its messages: tools, documents, and variables.
import type { TemplateInputs } from '@bowyer/text';
import { effortVariables } from '../../generation/chat-request.js';
import { type RequestFields } from '../fields/request-fields.js';

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

/** @param known the variables that the template reads, except those that other fields of a request set */
export function templateInputs(
  fields: RequestFields,
  tools: readonly Record<string, unknown>[],
  known: readonly string[],
): TemplateInputs {
  const given = fields.object('chat_template_kwargs', null).plain();
  for (const name of Object.keys(given)) {
    if (ofTheRequest.includes(name))
      throw fields.fail('chat_template_kwargs', `has the variable '${name}', which is a field of the request itself`);
    if (known.includes(name)) continue;
    const others = known.length > 0 ? `it reads ${known.join(', ')}` : 'it has no variables of its own';
    throw fields.fail(
      'chat_template_kwargs',
      `has the variable '${name}', which the template does not read; ${others}`,
    );
  }
  const effort = fields.text('reasoning_effort', null);
  const variables = { ...(known.length > 0 && effortVariables(effort)), ...given };
  const documents = isEmpty(fields.value('documents')) ? [] : fields.objects('documents', null);
  return {
    ...(tools.length > 0 && { tools }),
    ...(documents.length > 0 && { documents: documents.map((document) => document.plain()) }),
    ...(Object.keys(variables).length > 0 && { variables }),
  };
}

/** Template variables that other fields of the request set. */
const ofTheRequest = [
  'messages',
  'tools',
  'documents',
  'add_generation_prompt',
  'continue_final_message',
  'chat_template',
  'tokenize',
];
