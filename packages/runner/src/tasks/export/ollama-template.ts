// Converts a model's Jinja chat template into a Go template for Ollama. The texts that the template writes around the messages of
// each role are found by rendering a dialogue whose contents are unique markers. The Go template is used only if it renders other
// dialogues as Jinja does.
import { Template, type HuggingFaceTokenizer } from '@bowyer/text';
import {
  between,
  go,
  goTemplate,
  system,
  toolParts,
  user,
  type Around,
  type Message,
  type Render,
} from './ollama-tools.js';

interface Parts {
  /** The text that the template writes before all messages. */
  start: string;
  roles: Readonly<Partial<Record<'system' | 'user' | 'assistant', Around>>>;
  /** The text that begins the assistant's next message (the generation prompt). */
  ask: string;
}

export interface OllamaTemplate {
  /** The lines of the Modelfile with the instruction TEMPLATE, or with a comment if the model's template cannot be converted. */
  lines: string[];
  hasTools: boolean;
}

/**
 * Converts a model's chat template into a template for Ollama. It has tools if the model's template writes them in a form that a
 * template of Ollama can write.
 */
export function ollamaTemplate(tokenizer: HuggingFaceTokenizer): OllamaTemplate {
  const source = mainTemplate(tokenizer.config.chat_template);
  if (source === undefined)
    return {
      lines: ['# The model has no chat template: Ollama continues texts with it as they are.'],
      hasTools: false,
    };
  const [render, bos] = [renderer(source, tokenizer), specialText(tokenizer, 'bos_token')];
  const addsStart = tokenizer.encodeWithSpecials('a').length > tokenizer.encode('a').length;
  const started = <Found extends { start: string }>(found: Found): Found =>
    addsStart ? { ...found, start: '' } : found;
  const tools = toolParts(render, bos);
  if (tools !== null) return instruction(goTemplate(started(tools)), true);
  const parts = foundParts(render, bos);
  if (parts !== null) return instruction(goText(started(parts)), false);
  return {
    lines: [
      '# The chat template of the model is more than a text around each message, so it is not written here: Ollama uses that of the',
      '# GGUF file if it knows it.',
    ],
    hasTools: false,
  };
}

function instruction(text: string, hasTools: boolean): OllamaTemplate {
  const isQuoted = !text.includes('"""');
  return { lines: isQuoted ? [`TEMPLATE """${text}"""`] : [], hasTools: hasTools && isQuoted };
}

/** Returns whether the model's own template writes tools into the prompt. */
export function writesTools(tokenizer: HuggingFaceTokenizer): boolean {
  const source = mainTemplate(tokenizer.config.chat_template);
  if (source === undefined) return false;
  const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
  const tools = [{ type: 'function', function: { name: TOOL, description: 'a tool', parameters } }] as const;
  try {
    return renderer(source, tokenizer)([user(FIRST)], true, tools).includes(TOOL);
  } catch {
    return false; // the template refuses dialogues with tools
  }
}

function mainTemplate(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (!Array.isArray(given)) return undefined;
  return (given as { name: string; template: string }[]).find(({ name }) => name === 'default')?.template;
}

function specialText({ config }: HuggingFaceTokenizer, role: string): string {
  const entry = config[role] as string | { content?: string } | null | undefined;
  return (typeof entry === 'string' ? entry : entry?.content) ?? '';
}

function renderer(source: string, tokenizer: HuggingFaceTokenizer): Render {
  const template = new Template(source);
  const [bos_token, eos_token] = ['bos_token', 'eos_token'].map((role) => specialText(tokenizer, role));
  return (messages, asks, tools) =>
    template.render({ messages, add_generation_prompt: asks, bos_token, eos_token, ...(tools && { tools }) }).text;
}

/** Null if a template writes anything that cannot be expressed by texts around messages. */
function foundParts(render: Render, bos: string): Parts | null {
  try {
    const parts = guessedParts(render, bos);
    return parts !== null && dialogues(parts).every((each) => written(parts, each) === render(each, true))
      ? parts
      : null;
  } catch {
    return null; // the template refuses one of the dialogues
  }
}

const assistant = (content: string): Message => ({ role: 'assistant', content });
const [FIRST, REPLY, SECOND, SYSTEM, TOOL] = ['first-mark', 'reply-mark', 'second-mark', 'system-mark', 'tool_mark'];

function guessedParts(render: Render, bos: string): Parts | null {
  const dialogue = [user(FIRST), assistant(REPLY), user(SECOND)];
  const [before, toReply, toSecond, afterUser] = between(render(dialogue, false), FIRST, REPLY, SECOND);
  const start = bos !== '' && before.startsWith(bos) ? bos : '';
  const beforeUser = before.slice(start.length);
  if (!toReply.startsWith(afterUser) || !toSecond.endsWith(beforeUser)) return null;
  const ask = render(dialogue, true).slice(render(dialogue, false).length);
  const roles = {
    user: [beforeUser, afterUser],
    assistant: [toReply.slice(afterUser.length), toSecond.slice(0, toSecond.length - beforeUser.length)],
  } as const;
  const told = systemAround(render, start, beforeUser);
  return { start, ask, roles: { ...roles, ...(told && { system: told }) } };
}

/** Null if the template refuses system messages. */
function systemAround(render: Render, start: string, beforeUser: string): Around | null {
  try {
    const [before, toUser] = between(render([system(SYSTEM), user(FIRST)], false), SYSTEM, FIRST);
    return toUser.endsWith(beforeUser)
      ? [before.slice(start.length), toUser.slice(0, toUser.length - beforeUser.length)]
      : null;
  } catch {
    return null;
  }
}

/** Lists dialogues that the converted template must render as the original template does. */
function dialogues({ roles }: Parts): Message[][] {
  const long = [user('a\nb'), assistant('c'), user('d'), assistant('e f'), user('g')];
  return [
    [user('a')],
    long,
    ...(roles.system
      ? [
          [system('h'), user('i')],
          [system('h'), ...long],
        ]
      : []),
  ];
}

const written = ({ start, roles, ask }: Parts, messages: readonly Message[]): string =>
  start + messages.map(({ role, content }) => roles[role as keyof Parts['roles']]!.join(content)).join('') + ask;

function goText({ start, roles, ask }: Parts): string {
  const cases = Object.entries(roles).map(
    ([role, [before, after]], i) =>
      `{{ ${i === 0 ? '' : 'else '}if eq .Role "${role}" }}${go(before)}{{ .Content }}${go(after)}`,
  );
  return `${go(start)}{{ range .Messages }}${cases.join('')}{{ end }}{{ end }}${go(ask)}`;
}
