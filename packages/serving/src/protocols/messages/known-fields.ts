// Lists all request fields of POST /v1/messages that this server knows. Unknown fields are ignored, since newer clients send new
// ones, unless their name resembles that of a known field. Source: anthropic-sdk-typescript 1.14, resources/messages/messages.ts
// and resources/beta/messages/messages.ts.
import { harmless, never, refused, served, type FieldRules } from '../fields/field-rules.js';

const cached = harmless('cache_control');

export const messageFields: FieldRules = {
  ...served('model', 'max_tokens', 'messages', 'system', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences'),
  ...served('tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'context_management'),
  // The following fields are accepted without effect: they are names for logs and bills, or hints about speed.
  ...harmless('metadata', 'betas', 'service_tier', 'cache_control', 'inference_geo', 'speed', 'diagnostics'),
  ...harmless('user_profile_id', 'workspace_id', 'billing_policy', 'fallback_credit_token'),
  ...refused({ container: never, mcp_servers: [[]], fallbacks: [[]], compaction: never }),
  ...refused({ thread: never }, 'send all messages'),
};

/** The known fields of objects within a request, by the path or type of the object. */
export const nestedMessageFields = {
  'messages[]': served('role', 'content'),
  'text block': { ...served('type', 'text'), ...cached, ...harmless('citations') },
  'thinking block': { ...served('type', 'thinking'), ...harmless('signature') },
  // The encrypted content of a redacted block is ignored, since only the server that wrote the block can decrypt it.
  'redacted_thinking block': { ...served('type'), ...harmless('data') },
  'tool_use block': { ...served('type', 'id', 'name', 'input'), ...cached, ...harmless('caller', 'toolset_name') },
  'tool_result block': {
    ...served('type', 'tool_use_id', 'content', 'is_error'),
    ...cached,
    ...harmless('toolset_name'),
  },
  'document block': { ...served('type', 'source', 'title', 'context'), ...cached, ...harmless('citations') },
  'search_result block': { ...served('type', 'content', 'source', 'title'), ...cached, ...harmless('citations') },
  'tool_reference block': { ...served('type', 'tool_name'), ...cached },
  'tools[]': {
    ...served('name', 'description', 'input_schema', 'type', 'strict', 'input_examples', 'defer_loading'),
    ...cached,
    ...harmless('eager_input_streaming'),
    ...refused({ allowed_callers: [['direct']] }),
  },
  tool_choice: served('type', 'name', 'disable_parallel_tool_use'),
  thinking: served('type', 'display', 'budget_tokens'),
  output_config: { ...served('effort', 'format'), ...refused({ task_budget: never }) },
  'output_config.format': served('type', 'schema'),
  context_management: served('edits'),
  'context_management.edits[]': served('type', 'keep'),
} as const satisfies Readonly<Record<string, FieldRules>>;
