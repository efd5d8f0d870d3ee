// Lists all request fields of POST /v1/chat/completions that this server knows (openai/common-fields.ts names the sources).
import { harmless, never, refused, served, type FieldRules } from '../fields/field-rules.js';
import { ofBoth, streamOptions } from '../openai/common-fields.js';

export const chatFields: FieldRules = {
  ...ofBoth,
  ...served('messages', 'max_completion_tokens', 'top_logprobs', 'tools', 'tool_choice', 'parallel_tool_calls'),
  ...served('response_format', 'documents', 'chat_template', 'chat_template_kwargs', 'reasoning_effort'),
  ...served('add_generation_prompt', 'continue_final_message'),
  ...refused({ best_of: [1], echo: [false], add_special_tokens: [false], suffix: [''] }),
  ...refused({ prompt: never }, 'send a text to /v1/completions'),
  ...refused({ functions: [[]] }, 'write tools'),
  ...refused({ function_call: ['none', 'auto'] }, 'write tool_choice'),
  ...refused({ audio: never, modalities: [['text']], web_search_options: never, task: never, tool_prompt: never }),
  ...refused({ tool_resources: never, guideline: never, citations: never, parse_tool_calls: [true] }),
  ...refused({ include_reasoning: [true], separate_reasoning: [true], stream_reasoning: [true] }),
  ...refused({ reasoning_format: ['auto', 'deepseek'], reasoning_control: [false], thinking_forced_open: [false] }),
  ...refused({ reasoning: never, thinking: never }, 'write reasoning_effort'),
  ...refused({ enable_thinking: never }, 'write chat_template_kwargs: {enable_thinking: …}'),
  ...refused({ system: never }, 'write a message of the role system'),
};

/** The known fields of objects within a request, by the path of the object. */
export const nestedChatFields = {
  stream_options: streamOptions,
  response_format: { ...served('type', 'json_schema'), ...refused({ schema: never }, 'write json_schema={schema: …}') },
  'response_format.json_schema': { ...served('schema', 'strict'), ...harmless('name', 'description') },
  'messages[]': {
    ...served('role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content', 'reasoning', 'thinking'),
    ...served('function_call'),
    ...harmless('annotations', 'cache_control', 'prompt_cache_breakpoint'),
    ...refused({ refusal: [''], audio: never, prefix: [false], tools: [[]], reasoning_details: [[]] }),
  },
  'messages[].content[]': {
    ...served('type', 'text'),
    ...harmless('annotations', 'cache_control', 'prompt_cache_breakpoint'),
  },
  'messages[].tool_calls[]': { ...served('id', 'type', 'function'), ...harmless('index') },
  'messages[].tool_calls[].function': served('name', 'arguments'),
  'messages[].function_call': served('name', 'arguments'),
  'tools[]': {
    ...served('type', 'function'),
    ...harmless('cache_control', 'prompt_cache_breakpoint'),
    ...refused({ defer_loading: [false], async: [false], allowed_callers: [[]], output_schema: never, custom: never }),
  },
  'tools[].function': {
    ...served('name', 'description', 'parameters', 'strict'),
    ...refused({ defer_loading: [false] }),
  },
} as const satisfies Readonly<Record<string, FieldRules>>;
