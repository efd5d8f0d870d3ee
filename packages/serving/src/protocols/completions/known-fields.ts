// Lists all request fields of POST /v1/completions that this server knows (openai/common-fields.ts names the sources).
import { never, refused, renamed, served, type FieldRules } from '../fields/field-rules.js';
import { ofBoth } from '../openai/common-fields.js';

const ofChatsAlone = 'send messages to /v1/chat/completions';

export const textFields: FieldRules = {
  ...ofBoth,
  ...served('prompt', 'echo', 'best_of', 'add_special_tokens'),
  ...refused({ suffix: [''] }),
  ...refused({ top_logprobs: [0] }, 'write logprobs=N'),
  ...renamed({ max_completion_tokens: 'max_tokens', return_full_text: 'echo' }),
  ...refused({ response_format: [{ type: 'text' }] }),
  ...refused(
    {
      messages: never,
      tools: [[]],
      tool_choice: ['none', 'auto'],
      parallel_tool_calls: [true, false],
      documents: [[]],
      chat_template: never,
      chat_template_kwargs: [{}],
      reasoning_effort: never,
      add_generation_prompt: [true],
      continue_final_message: [false],
      functions: [[]],
      function_call: ['none'],
    },
    ofChatsAlone,
  ),
};
