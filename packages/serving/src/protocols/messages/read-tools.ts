// The tools of a request in the form of Chat Completions, which chat templates take.
import { type RequestFields } from '../fields/request-fields.js';
import { nestedMessageFields } from './known-fields.js';

export function readTools(fields: RequestFields): Record<string, unknown>[] {
  const value = fields.value('tools');
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  return fields.objects('tools', null).map((given, i) => {
    const type = given.text('type', 'custom');
    if (type !== 'custom')
      throw given.fail(
        'type',
        `is '${type}', a tool that a server runs; this server has none, write a tool of your own`,
      );
    const tool = fields.within(given.plain(), nestedMessageFields['tools[]'], `tools[${i}]`);
    const name = tool.text('name', '');
    if (name === '') throw tool.fail('name', 'must be a string');
    const description = describedTool(tool);
    const parameters = tool.object('input_schema', null).plain();
    const strict = tool.boolean('strict');
    return {
      type: 'function',
      function: { name, ...(description !== '' && { description }), parameters, ...(strict && { strict }) },
    };
  });
}

/** Examples stand behind the description: templates have no place of their own for them. */
function describedTool(tool: RequestFields): string {
  const description = tool.text('description', '');
  if (tool.value('input_examples') === undefined) return description;
  const examples = tool.objects('input_examples', null).map((example) => JSON.stringify(example.plain()));
  return [description, 'Examples:', ...examples].filter((line) => line !== '').join('\n');
}
