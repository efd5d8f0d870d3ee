// Reads what several protocols share: which tools the model must or may call, and the JSON schema of its content.
import type { TemplateInputs } from '@bowyer/text';
import type { AnswerFormat, ToolChoice } from '../../generation/chat-request.js';
import { RequestFields } from './request-fields.js';

/**
 * @param tools in the form of Chat Completions
 * @param functionOf returns the object with the function's name from a choice of the type `function`
 */
export function toolChoiceOf(
  fields: RequestFields,
  tools: NonNullable<TemplateInputs['tools']>,
  functionOf: (choice: RequestFields) => RequestFields,
): ToolChoice {
  const value = fields.value('tool_choice') ?? 'auto';
  if (value === 'none' || value === 'auto') return value;
  if (value !== 'required' && typeof value !== 'object')
    throw fields.fail(
      'tool_choice',
      "must be 'none', 'auto', 'required' or {type: 'function', …} with a function's name",
    );
  if (tools.length === 0) throw fields.fail('tool_choice', 'needs tools');
  if (value === 'required') return value;
  const choice = fields.object('tool_choice', null);
  if (choice.text('type', '') !== 'function')
    throw choice.fail(
      'type',
      "must be 'function'; this server calls no other kind of tool, and any of its tools with 'auto'",
    );
  const called = functionOf(choice);
  return { name: namedTool(called.text('name', ''), tools, (problem) => called.fail('name', problem)) };
}

/** Forces a call of one tool. @throws the error of `fail` for an unknown tool */
export function namedTool(
  name: string,
  tools: NonNullable<TemplateInputs['tools']>,
  fail: (problem: string) => Error,
): string {
  const names = tools.map((tool) => (tool.function as { name: string }).name);
  if (names.includes(name)) return name;
  throw fail(`must be the name of one of the tools: ${names.join(', ')}`);
}

/** @param fields with `schema`, and with `strict`, which has no effect, since the schema is always guaranteed */
export function schemaFormat(fields: RequestFields): AnswerFormat {
  fields.boolean('strict');
  const schema = fields.value('schema');
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || Array.isArray(schema)))
    throw fields.fail('schema', 'must be a JSON schema');
  return { kind: 'schema', schema };
}
