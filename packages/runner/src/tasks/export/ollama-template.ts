// A chat template of Jinja as one of Ollama's, which are Go's. The texts around each role's messages are found by writing a dialogue of
// marks; what was found is kept only where it writes other dialogues as Jinja does.
import { Template, type HuggingFaceTokenizer } from '@bowyer/text';

interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** The texts before and after a message's content. */
type Around = readonly [before: string, after: string];

interface Parts {
  /** Before all messages. */
  start: string;
  roles: Readonly<Partial<Record<Message['role'], Around>>>;
  /** The mark that asks for the assistant's next message. */
  ask: string;
}

type Render = (messages: readonly Message[], asks: boolean) => string;

/** The instruction TEMPLATE, or a comment where the model's template has no such form. */
export function ollamaTemplate(tokenizer: HuggingFaceTokenizer): string[] {
  const source = mainTemplate(tokenizer.config.chat_template);
  if (source === undefined) return ['# The model has no chat template: Ollama continues texts with it as they are.'];
  const parts = foundParts(renderer(source, tokenizer), specialText(tokenizer, 'bos_token'));
  if (parts === null)
    return [
      '# The chat template of the model is more than a text around each message, so it is not written here: Ollama uses that of the',
      '# GGUF file if it knows it.',
    ];
  const addsStart = tokenizer.encodeWithSpecials('a').length > tokenizer.encode('a').length;
  const text = goText({ ...parts, start: addsStart ? '' : parts.start });
  return text.includes('"""') ? [] : [`TEMPLATE """${text}"""`];
}

/** Whether the model's template writes tools into the prompt, which the form above does not. */
export function writesTools(tokenizer: HuggingFaceTokenizer): boolean {
  const source = mainTemplate(tokenizer.config.chat_template);
  if (source === undefined) return false;
  const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
  const tools = [{ type: 'function', function: { name: TOOL, description: 'a tool', parameters } }];
  try {
    return renderer(source, tokenizer, { tools })([user(FIRST)], true).includes(TOOL);
  } catch {
    return false; // the template refuses them
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

/** @param more further variables of the template */
function renderer(source: string, tokenizer: HuggingFaceTokenizer, more: object = {}): Render {
  const template = new Template(source);
  const [bos_token, eos_token] = ['bos_token', 'eos_token'].map((role) => specialText(tokenizer, role));
  return (messages, asks) =>
    template.render({ messages, add_generation_prompt: asks, bos_token, eos_token, ...more }).text;
}

/** null where a dialogue is more than texts around messages. */
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

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });
const [FIRST, REPLY, SECOND, SYSTEM, TOOL] = ['first-mark', 'reply-mark', 'second-mark', 'system-mark', 'tool_mark'];

function guessedParts(render: Render, bos: string): Parts | null {
  const dialogue = [user(FIRST), assistant(REPLY), user(SECOND)];
  const [before, toReply, toSecond, afterUser] = between(render(dialogue, false), [FIRST, REPLY, SECOND]);
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

/** null where the template has no messages of the system. */
function systemAround(render: Render, start: string, beforeUser: string): Around | null {
  try {
    const [before, toUser] = between(render([system(SYSTEM), user(FIRST)], false), [SYSTEM, FIRST]);
    return toUser.endsWith(beforeUser)
      ? [before.slice(start.length), toUser.slice(0, toUser.length - beforeUser.length)]
      : null;
  } catch {
    return null;
  }
}

/** The texts before, between and after marks. @throws where one is missing */
function between(text: string, marks: readonly string[]): string[] {
  const found: string[] = [];
  let from = 0;
  for (const mark of marks) {
    const at = text.indexOf(mark, from);
    if (at < 0) throw new Error(`the template does not write ${mark}`);
    found.push(text.slice(from, at));
    from = at + mark.length;
  }
  return [...found, text.slice(from)];
}

/** Dialogues that the parts must write as the template does. */
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
  start + messages.map(({ role, content }) => roles[role]!.join(content)).join('') + ask;

function goText({ start, roles, ask }: Parts): string {
  const cases = Object.entries(roles).map(
    ([role, [before, after]], i) =>
      `{{ ${i === 0 ? '' : 'else '}if eq .Role "${role}" }}${escaped(before)}{{ .Content }}${escaped(after)}`,
  );
  return `${escaped(start)}{{ range .Messages }}${cases.join('')}{{ end }}{{ end }}${escaped(ask)}`;
}

const escaped = (text: string): string => text.replaceAll('{{', '{{ "{{" }}');
