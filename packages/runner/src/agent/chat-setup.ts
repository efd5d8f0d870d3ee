// The chat template that a config names, and how dialogues are written in a line of JSON.
import { readFile } from 'node:fs/promises';
import { snakeKeys } from '@bowyer/core';
import { chatTemplate, type ChatTemplate, type Tokenizer } from '@bowyer/models';
import type { SharedConfig } from '../config/keys.js';

export type TemplateConfig = Pick<SharedConfig, 'chatTemplate' | 'chatTemplateKwargs'> &
  Partial<Pick<SharedConfig, 'upstreamLossMask'>>;

/** `chat_template` is a built-in name, a file of Jinja, the name of one of the model's templates, or null for its own. */
export async function loadChatTemplate(config: TemplateConfig, tokenizer: Tokenizer): Promise<ChatTemplate> {
  const { chatTemplate: given } = config;
  const isFile = given !== null && /[./]/.test(given) && !given.includes('{');
  return chatTemplateOf(isFile ? await readFile(given, 'utf8') : given, tokenizer, config);
}

/** A template by its name or its text, with the config's variables. */
export const chatTemplateOf = (
  template: string | null,
  tokenizer: Tokenizer,
  { chatTemplateKwargs, upstreamLossMask = false }: TemplateConfig,
): ChatTemplate =>
  chatTemplate(template, tokenizer, {
    upstreamLossMask,
    // The config's keys are camelCase in the code; variables of templates are in snake_case.
    variables: snakeKeys(chatTemplateKwargs) as Record<string, unknown>,
  });

/** What a template reads is its own matter: messages of any known role, with a text, parts, or other keys. */
const messages = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['role'],
    anyOf: [{ required: ['content'] }, { required: ['tool_calls'] }],
    properties: {
      role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
      content: { type: ['string', 'array', 'null'], items: { type: 'object' } },
    },
  },
};

const objects = { type: 'array', items: { type: 'object' } };

/** The schema of a line, with `{messages}` and what a template takes beside them as one more way to give a prompt. */
export const withMessages = (schema: { properties?: object }): object => ({
  ...schema,
  properties: {
    ...schema.properties,
    messages,
    tools: objects,
    documents: objects,
    chat_template_kwargs: { type: 'object' },
  },
  dependentRequired: { tools: ['messages'], documents: ['messages'], chat_template_kwargs: ['messages'] },
});
