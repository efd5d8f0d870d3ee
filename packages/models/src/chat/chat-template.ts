// Which chat template a model uses: a built-in one by name, one given as Jinja, or the tokenizer's own.
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { ChatTemplateError, type ChatTemplate } from './chat-message.js';
import { JinjaTemplate } from './jinja-template.js';
import {
  BuiltInChatTemplate,
  templateMarks,
  type BuiltInTemplate,
  type BuiltInTemplateOptions,
} from './built-in-templates.js';

const builtIn: readonly string[] = ['llama2', 'llama3', 'chatml', 'chatglm4', 'llama2_bc'] satisfies BuiltInTemplate[];

/** @param template one of the built-in names (`llama-2` and `llama2` are the same), Jinja itself, or null for the tokenizer's own */
export function chatTemplate(
  template: string | null,
  tokenizer: Tokenizer,
  options: BuiltInTemplateOptions = {},
): ChatTemplate {
  const name = plainName(template);
  if (builtIn.includes(name)) return new BuiltInChatTemplate(name as BuiltInTemplate, tokenizer, options);
  const config = tokenizer.config ?? {};
  const source = template ?? ownTemplate(config.chat_template);
  if (source === null)
    throw new ChatTemplateError(
      'the model’s tokenizer has none',
      `name one (chat_template=${builtIn.join(' or ')}) or give a file of Jinja`,
    );
  if (!source.includes('{'))
    throw new ChatTemplateError(
      `'${source}' is neither a Jinja template nor the name of one`,
      `built-in templates: ${builtIn.join(', ')}`,
    );
  return new JinjaTemplate(source, tokenizer, variables(config));
}

/** `llama-2` is `llama2`. */
const plainName = (template: string | null): string => template?.replace('-', '') ?? '';

/** Strings that a tokenizer made for a built-in template must contain as one token each. */
export function templateTokens(template: string | null): readonly string[] {
  const name = plainName(template);
  if (builtIn.includes(name)) return templateMarks[name as BuiltInTemplate];
  throw new ChatTemplateError(
    `a tokenizer of the conversations' words needs a built-in template, not ${template === null ? 'none' : `'${template}'`}`,
    `choose chat_template=${builtIn.join(' or ')}`,
  );
}

/** A text, or a list of named ones of which `default` is for plain dialogues. */
function ownTemplate(entry: unknown): string | null {
  if (typeof entry === 'string') return entry;
  if (!Array.isArray(entry)) return null;
  const named = entry as { name?: string; template?: string }[];
  return (named.find(({ name }) => name === 'default') ?? named[0])?.template ?? null;
}

/** Special tokens, each a text or an object with the text as `content`. */
function variables(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const tokens = Object.entries(config).filter(([key]) => key.endsWith('_token'));
  return Object.fromEntries(
    tokens.map(([key, value]) => [
      key,
      typeof value === 'object' ? (value as { content?: string } | null)?.content : value,
    ]),
  );
}
