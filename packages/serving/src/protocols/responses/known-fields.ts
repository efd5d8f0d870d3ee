// Lists all request fields of POST /v1/responses that this server knows. Unknown fields are ignored, since newer clients send new
// ones, unless their name resembles that of a known field. Source: openai-node 7.57, resources/responses/responses.ts.
import { harmless, never, refused, served, type FieldRules } from '../fields/field-rules.js';

export const responseFields: FieldRules = {
  ...served('model', 'input', 'instructions', 'previous_response_id', 'store', 'stream', 'include', 'metadata'),
  ...served('tools', 'tool_choice', 'parallel_tool_calls', 'text', 'reasoning'),
  ...served('temperature', 'top_p', 'top_logprobs', 'max_output_tokens', 'stream_options'),
  // Accepted without effect: names for logs and bills, hints about speed, or limits of tools that this server does not run.
  ...harmless('user', 'safety_identifier', 'service_tier', 'prompt_cache_key', 'prompt_cache_options'),
  ...harmless('prompt_cache_retention', 'moderation', 'max_tool_calls', 'access_programs', 'personality'),
  ...harmless('client_metadata'), // codex sends this field
  ...refused({ background: [false], truncation: ['disabled'], context_management: [[]], image: never }),
  ...refused({ conversation: never }, 'write previous_response_id'),
  ...refused({ prompt: never }, 'write instructions and input'),
};

/** The known fields of objects within a request, by the path or type of the object. */
export const nestedResponseFields = {
  'message item': { ...served('type', 'role', 'content'), ...harmless('id', 'status', 'phase') },
  'function_call item': {
    ...served('type', 'call_id', 'name', 'namespace', 'arguments'),
    ...harmless('id', 'status', 'caller', 'created_by', 'async'),
  },
  'function_call_output item': {
    ...served('type', 'call_id', 'output'),
    ...harmless('id', 'status', 'caller', 'created_by', 'name'),
  },
  'reasoning item': { ...served('type', 'content', 'summary', 'encrypted_content'), ...harmless('id', 'status') },
  'item_reference item': served('type', 'id'),
  'content part': {
    ...served('type', 'text', 'refusal'),
    ...harmless('annotations', 'logprobs', 'prompt_cache_breakpoint'),
  },
  'tools[]': {
    ...served('type', 'name', 'description', 'parameters', 'strict'),
    ...refused({ async: [false], defer_loading: [false], allowed_callers: [['direct']], output_schema: never }),
  },
  namespace: served('type', 'name', 'description', 'tools'),
  tool_choice: served('type', 'name'),
  text: { ...served('format'), ...harmless('verbosity') },
  'text.format': { ...served('type', 'schema', 'strict'), ...harmless('name', 'description') },
  reasoning: { ...served('effort', 'summary', 'generate_summary'), ...harmless('context', 'mode') },
  stream_options: harmless('include_obfuscation'),
} as const satisfies Readonly<Record<string, FieldRules>>;
