// Chooses a model's chat template: a built-in one by name, one that is given as Jinja, or the tokenizer's own.
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { ChatTemplateError, type ChatTemplate } from './chat-message.js';
import { builtInOf, builtInSources } from './built-in-sources.js';
import { JinjaTemplate } from './jinja-template.js';
import { toolsTemplate } from './tools-template.js';
import {
  BuiltInChatTemplate,
  templateMarks,
  type BuiltInTemplate,
  type BuiltInTemplateOptions,
} from './built-in-templates.js';

/** The Jinja templates of this package that users may choose by name. */
const namedTemplates = new Map([['tools', toolsTemplate]]);

const builtIn: readonly BuiltInTemplate[] = ['llama2', 'llama3', 'chatml', 'chatglm4', 'llama2_bc'];

interface ChatTemplateOptions extends BuiltInTemplateOptions {
  /** Variables that a Jinja template gets in every dialogue, such as `enable_thinking`. */
  variables?: Readonly<Record<string, unknown>>;
  /** Returns the time that the template's function `strftime_now` formats; the time of the call if not given. */
  now?: () => Date;
}

/**
 * Finds or compiles a template.
 *
 * @param template a built-in name, `tools`, a Jinja source, the name of one of the tokenizer's templates, or null for the
 * tokenizer's own: `default`, and for dialogues with tools `tool_use` if it exists. Names are compared without case, `-` and `_`
 */
export function chatTemplate(
  template: string | null,
  tokenizer: Tokenizer,
  { variables: given = {}, now, ...options }: ChatTemplateOptions = {},
): ChatTemplate {
  const config = tokenizer.config ?? {};
  const own = ownTemplates(config.chat_template);
  const name = own.has(template ?? '') ? undefined : builtInName(template);
  if (name !== undefined) {
    const [variable] = Object.keys(given);
    if (variable !== undefined)
      throw new ChatTemplateError(
        `'${name}' has no variable '${variable}'`,
        'leave out chat.template_kwargs, or use a template of Jinja',
      );
    return new BuiltInChatTemplate(name, tokenizer, options);
  }
  const jinja = { variables: { ...specialTokens(config), ...given }, ...(now && { now }) };
  const reading = (made: JinjaTemplate): JinjaTemplate => checkVariables(made, given, template);
  if (template?.includes('{')) return reading(new JinjaTemplate(template, tokenizer, jinja));
  const source = sourceOf(template ?? 'default', own);
  if (source === undefined) throw missing(template, own);
  const kept = builtInOf(source);
  if (kept !== undefined && Object.keys(given).length === 0) return new BuiltInChatTemplate(kept, tokenizer, options);
  const withTools = template === null ? (own.get('tool_use') ?? null) : null;
  return reading(new JinjaTemplate(source, tokenizer, { ...jinja, withTools }));
}

/** Throws ChatTemplateError for a variable that the template never reads. */
function checkVariables(
  made: JinjaTemplate,
  given: Readonly<Record<string, unknown>>,
  template: string | null,
): JinjaTemplate {
  const names = Object.keys(given);
  if (names.length === 0) return made;
  const { variables: read, ownVariables: own } = made;
  const unread = names.filter((name) => !read.includes(name));
  if (unread.length === 0) return made;
  const which = template === null ? 'the model’s template' : template.includes('{') ? 'the template' : `'${template}'`;
  throw new ChatTemplateError(
    `${which} never reads the variable${unread.length > 1 ? 's' : ''} ${unread.map((name) => `'${name}'`).join(', ')}`,
    own.length === 0
      ? 'it has no variables of its own: leave out chat.template_kwargs'
      : `the variables that it reads: ${own.join(', ')}`,
  );
}

/** Returns a template as Jinja, for the folder of a model trained with it; null if it is already the tokenizer's own. */
export function templateSource(template: string | null, tokenizer: Pick<Tokenizer, 'config'>): string | null {
  if (template === null || template.includes('{')) return template;
  const own = ownTemplates(tokenizer.config?.chat_template);
  const name = own.has(template) ? undefined : builtInName(template);
  return name === undefined ? (sourceOf(template, own) ?? null) : builtInSources[name];
}

function missing(template: string | null, own: ReadonlyMap<string, string>): ChatTemplateError {
  const names = own.size > 0 ? `; the tokenizer has ${[...own.keys()].join(', ')}` : '';
  if (template !== null)
    return new ChatTemplateError(
      `'${template}' is neither a Jinja template nor the name of one`,
      `built-in templates: ${[...builtIn, ...namedTemplates.keys()].join(', ')}${names}`,
    );
  return new ChatTemplateError(
    own.size > 0 ? 'none of those of the model’s tokenizer is named default' : 'the model’s tokenizer has none',
    `name one (chat.template=${[...own.keys(), ...builtIn, ...namedTemplates.keys()].join(' or ')}) or give a file of Jinja`,
  );
}

/** Finds the exact name, or one that differs only in case, `-` and `_`. */
const named = <Name extends string>(known: readonly Name[], name: string): Name | undefined =>
  known.find((each) => each === name) ?? known.find((each) => plainName(each) === plainName(name));

const plainName = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, '');

const sourceOf = (name: string, own: ReadonlyMap<string, string>): string | undefined =>
  own.get(named([...own.keys()], name) ?? '') ?? namedTemplates.get(named([...namedTemplates.keys()], name) ?? '');

const builtInName = (template: string | null): BuiltInTemplate | undefined =>
  template === null ? undefined : named(builtIn, template);

/** Lists the texts that a new tokenizer must have as single tokens for a built-in template. */
export function templateTokens(template: string | null): readonly string[] {
  const name = builtInName(template);
  if (name !== undefined) return templateMarks[name];
  throw new ChatTemplateError(
    `a tokenizer of the conversations' words needs a built-in template, not ${template === null ? 'none' : `'${template}'`}`,
    `choose chat.template=${builtIn.join(' or ')}; for dialogues with tools, and for other templates, make the model with ` +
      'npx bowyer --config-name start_model task.data=FILE',
  );
}

/** Reads a tokenizer's templates: a text, which is `default`; or a list or an object of named templates. */
function ownTemplates(entry: unknown): Map<string, string> {
  if (typeof entry === 'string') return new Map([['default', entry]]);
  if (typeof entry !== 'object' || entry === null) return new Map();
  const named: unknown[][] = Array.isArray(entry)
    ? (entry as { name?: unknown; template?: unknown }[]).map(({ name, template }) => [name, template])
    : Object.entries(entry);
  return new Map(
    named.flatMap(([name, template]) =>
      typeof name === 'string' && typeof template === 'string' ? [[name, template] as const] : [],
    ),
  );
}

/** Reads the texts of special tokens by the keys of tokenizer_config.json; each value is a text or an object with `content`. */
function specialTokens(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const tokens = Object.entries(config).flatMap(([key, value]) => {
    const text = typeof value === 'object' ? (value as { content?: unknown } | null)?.content : value;
    return key.endsWith('_token') && typeof text === 'string' ? [[key, text]] : [];
  });
  return Object.fromEntries(tokens) as Record<string, unknown>;
}
