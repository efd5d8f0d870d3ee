// Lists all request fields of POST /v1/embeddings that this server knows. Source: openai-node 7.57, resources/embeddings.ts; vLLM
// where a comment names it.
import { harmless, never, refused, served, type FieldRules } from '../fields/field-rules.js';

export const embeddingFields: FieldRules = {
  ...served('model', 'input', 'encoding_format', 'dimensions', 'add_special_tokens'),
  ...harmless('user', 'safety_identifier', 'metadata', 'request_id', 'priority'),
  ...refused({ truncate_prompt_tokens: [-1], messages: never, normalize: never, input_type: never }),
};
