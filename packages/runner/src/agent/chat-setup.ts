// The chat template that a config names, and how dialogues are written in a line of JSON.
import { readFile } from 'node:fs/promises';
import { chatTemplate, type ChatTemplate, type Tokenizer } from '@bowyer/models';
import type { SharedConfig } from '../config/keys.js';

export type TemplateConfig = Pick<SharedConfig, 'chatTemplate'> & Partial<Pick<SharedConfig, 'upstreamLossMask'>>;

/** `chat_template` is a built-in name, a file of Jinja, or null for the model's own. */
export async function loadChatTemplate(
  { chatTemplate: given, upstreamLossMask = false }: TemplateConfig,
  tokenizer: Tokenizer,
): Promise<ChatTemplate> {
  const isFile = given !== null && /[./]/.test(given) && !given.includes('{');
  return chatTemplate(isFile ? await readFile(given, 'utf8') : given, tokenizer, { upstreamLossMask });
}

const messages = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['role', 'content'],
    properties: { role: { enum: ['system', 'user', 'assistant'] }, content: { type: 'string' } },
  },
};

/** The schema of a line, with `{messages}` as one more way to give a prompt. */
export const withMessages = (schema: { properties?: object }): object => ({
  ...schema,
  properties: { ...schema.properties, messages },
});
