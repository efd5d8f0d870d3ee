// Loads the chat template that a config names, and defines the JSON Schema of messages in JSONL files.
import { readFile } from 'node:fs/promises';
import { snakeKeys } from '@bowyer/core';
import { chatTemplate, templateSource, type ChatTemplate, type Tokenizer } from '@bowyer/text';
import type { NodePart } from '../keys/agent-keys.js';

export type TemplateConfig = {
  chat: NodePart<'chat', 'template' | 'templateKwargs'>['chat'] & { upstreamLossMask?: boolean };
};

/** Reads the chat template from a file if the config names a file; otherwise returns the config's text unchanged. */
const given = async (template: string | null): Promise<string | null> => {
  const isFile = template !== null && /[./]/.test(template) && !template.includes('{');
  return isFile ? readFile(template, 'utf8') : template;
};

/** Returns Jinja text, to be saved with the trained model; null selects the template of the model's tokenizer. */
export const keptTemplate = async (
  template: string | null,
  tokenizer: Pick<Tokenizer, 'config'>,
): Promise<string | null> => templateSource(await given(template), tokenizer);

/**
 * Loads the chat template that a config names: a built-in name, a file of Jinja, the name of one of the model's templates, or
 * null for the model's main template.
 */
export const loadChatTemplate = async (config: TemplateConfig, tokenizer: Tokenizer): Promise<ChatTemplate> =>
  chatTemplateOf(await given(config.chat.template), tokenizer, config);

/** Makes a chat template from its name or its text, with the variables that the config sets. */
export const chatTemplateOf = (
  template: string | null,
  tokenizer: Tokenizer,
  { chat: { templateKwargs, upstreamLossMask = false } }: TemplateConfig,
): ChatTemplate =>
  chatTemplate(template, tokenizer, {
    upstreamLossMask,
    // Variables of chat templates are in snake_case, while the code has the config's keys in camelCase.
    variables: snakeKeys(templateKwargs) as Record<string, unknown>,
  });

/** Messages of any known role, with a text, parts, or other keys; the chat template decides which keys are read. */
const messages = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['role'],
    anyOf: [{ required: ['content'] }, { required: ['tool_calls'] }, { required: ['function_call'] }],
    properties: {
      role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
      content: { type: ['string', 'array', 'null'], items: { type: 'object' } },
    },
  },
};

/** A list of objects, such as tools. Some datasets encode the objects as JSON in a string. */
const objects = { type: ['array', 'string'], items: { type: 'object' } };

/**
 * Extends the JSON Schema of a line in a JSONL file: instead of a prompt, a line may have `{messages}` and the other inputs of a
 * chat template.
 */
export const withMessages = <Schema extends { properties: object }>(schema: Schema) => ({
  ...schema,
  properties: {
    ...schema.properties,
    messages,
    system: { type: 'string' },
    tools: objects,
    documents: objects,
    chat_template_kwargs: { type: 'object' },
  },
  dependentRequired: Object.fromEntries(
    ['system', 'tools', 'documents', 'chat_template_kwargs'].map((key) => [key, ['messages']]),
  ),
});
