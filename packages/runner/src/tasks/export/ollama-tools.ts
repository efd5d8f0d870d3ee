// Finds the texts that a Jinja chat template writes around messages, tools, tool calls and results, for a Go template of Ollama:
// it renders dialogues whose contents are unique markers, and takes the texts between the markers.
import { Template } from '@bowyer/text';

/** A message in the format of OpenAI's Chat Completions, as a chat template reads it. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_call_id?: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: object } }[];
}

export interface Tool {
  type: 'function';
  function: { name: string; description: string; parameters: object };
}

/** Renders a dialogue by the model's chat template. */
export type Render = (messages: readonly Message[], asks: boolean, tools?: readonly Tool[]) => string;

/** The texts that a template writes before and after a content. */
export type Around = readonly [before: string, after: string];

export interface ToolParts {
  /** The text that the template writes before all messages. */
  start: string;
  /** The text at the beginning of a dialogue without tools and without a system message. */
  untold: string;
  /** The texts around a system message if there are no tools. */
  told: Around;
  /** The text between a system message and the first tool, if there are both. */
  toldTools: string;
  /** The text at the beginning of a dialogue with tools and without a system message, up to the first tool. */
  untoldTools: string;
  /** Whether the template writes the complete object of a tool; if not, it writes only the object's member `function`. */
  whole: boolean;
  betweenTools: string;
  /** The text between the last tool and the first message. */
  afterTools: string;
  user: Around;
  assistant: Around;
  result: Around;
  call: { before: string; beforeArguments: string; after: string; between: string; behindContent: string };
  /** The text that begins the assistant's next message (the generation prompt). */
  ask: string;
}

const named = (name: string): Tool => ({
  type: 'function',
  function: { name, description: 'd', parameters: { type: 'object', properties: { p: { type: 'string' } } } },
});
const [USER, OTHER, REPLY, SYSTEM, RESULT] = ['user-mark', 'other-mark', 'reply-mark', 'system-mark', 'result-mark'];
const TOOLS = [named('first_tool'), named('second_tool')] as const;
export const user = (content: string): Message => ({ role: 'user', content });
export const system = (content: string): Message => ({ role: 'system', content });
const reply = (content: string, ...names: string[]): Message => ({
  role: 'assistant',
  content,
  ...(names.length > 0 && {
    tool_calls: names.map((name, i) => ({
      id: `call0000${i}`,
      type: 'function',
      function: { name, arguments: { p: name } },
    })),
  }),
});
const result = (content: string, i = 0): Message => ({ role: 'tool', content, tool_call_id: `call0000${i}` });

const jsonTemplate = new Template('{{ value | tojson }}');
/** Writes a value as JSON as Jinja's filter `tojson` does. */
const json = (value: unknown): string => jsonTemplate.render({ value }).text;

/**
 * Finds the texts that a template with tools writes around its contents.
 *
 * @returns null where the template writes dialogues in another form, or refuses them
 */
export function toolParts(render: Render, bos: string): ToolParts | null {
  try {
    const parts = guessed(render, bos);
    return dialogues.every(([messages, tools]) => written(parts, messages, tools) === render(messages, true, tools))
      ? parts
      : null;
  } catch {
    return null; // the template refuses one of the dialogues, or does not write a marker
  }
}

function guessed(render: Render, bos: string): ToolParts {
  const [, afterReply] = between(render([user(USER), reply(REPLY)], false), REPLY);
  const [, afterUser] = between(render([user(USER)], false), USER);
  const [head, toReply, toOther] = between(render([user(USER), reply(REPLY), user(OTHER)], false), USER, REPLY, OTHER);
  const beforeUser = behind(toOther, afterReply);
  const start = bos !== '' && head.startsWith(bos) ? bos : '';
  const untold = without(head.slice(start.length), beforeUser);
  const [beforeSystem, systemToUser] = between(render([system(SYSTEM), user(USER)], false), SYSTEM, USER);
  const asked = render([user(USER)], true);

  const whole = render([user(USER)], false, TOOLS).includes(json(TOOLS[0]));
  const [first, second] = TOOLS.map((tool) => json(whole ? tool : tool.function));
  const [untoldTools, betweenTools, toolsToUser] = between(render([user(USER)], false, TOOLS), first, second, USER);
  const [, toldTools] = between(render([system(SYSTEM), user(USER)], false, TOOLS), SYSTEM, first);

  const [f, s] = TOOLS.map((tool) => tool.function.name);
  const args = (name: string) => json({ p: name });
  const assistant = [behind(toReply, afterUser), afterReply] as const;
  const calls = render([user(USER), reply('', f, s)], false, TOOLS)
    .split(USER)
    .at(-1)!;
  const [toName, beforeArguments, toSecond, , afterCalls] = between(calls, f, args(f), s, args(s));
  const before = behind(toName, afterUser + assistant[0]);
  const after = without(afterCalls, afterReply);
  const called = render([user(USER), reply(REPLY, f)], false, TOOLS)
    .split(REPLY)
    .at(-1)!;
  const answered = render([user(USER), reply('', f), result(RESULT), user(OTHER)], false, TOOLS);
  const [, toResult, resultToOther] = between(answered.slice(answered.lastIndexOf(args(f))), args(f), RESULT, OTHER);
  return {
    start,
    untold,
    told: [beforeSystem.slice(start.length), without(systemToUser, beforeUser)],
    toldTools,
    untoldTools: untoldTools.slice(start.length),
    whole,
    betweenTools,
    afterTools: without(toolsToUser, beforeUser),
    user: [beforeUser, afterUser],
    assistant,
    result: [behind(toResult, after + afterReply), without(resultToOther, beforeUser)],
    call: {
      before,
      beforeArguments,
      after,
      between: without(behind(toSecond, after), before),
      behindContent: without(between(called, f)[0], before),
    },
    ask: asked.slice(render([user(USER)], false).length),
  };
}

type Dialogue = readonly [messages: readonly Message[], tools?: readonly Tool[]];

/**
 * Dialogues that the template for Ollama must render as the model's template does. Successive tool results are not among them,
 * since some templates write them as one message.
 */
const dialogues: readonly Dialogue[] = [
  [user('a')],
  [user('a\nb'), reply('c'), user('d')],
  [system('h'), user('a'), reply('c'), user('d')],
].flatMap((messages): Dialogue[] => [
  [messages],
  [messages, TOOLS.slice(0, 1)],
  [messages, TOOLS],
  [[...messages, reply('', 'first_tool'), result('r'), reply('c'), user('e')], TOOLS],
  [[...messages, reply('c', 'second_tool', 'first_tool'), result('r'), reply('', 'first_tool'), result('q')], TOOLS],
]);

/**
 * Renders a dialogue as Ollama does with the found texts, except that tools and arguments are written as the model's template
 * writes JSON.
 */
function written(parts: ToolParts, messages: readonly Message[], tools: readonly Tool[] = []): string {
  const { call } = parts;
  const told = messages[0].role === 'system' ? messages[0].content : null;
  const callsOf = ({ content, tool_calls: calls = [] }: Message) =>
    (calls.length > 0 && content !== '' ? call.behindContent : '') +
    calls
      .map(
        ({ function: { name, arguments: args } }) =>
          call.before + name + call.beforeArguments + json(args) + call.after,
      )
      .join(call.between);
  const around = { user: parts.user, assistant: parts.assistant, tool: parts.result };
  const said = messages
    .flatMap((message) => (message.role === 'system' ? [] : [[around[message.role], message] as const]))
    .map(([[before, after], message]) => before + message.content + callsOf(message) + after);
  return parts.start + headOf(parts, told, tools) + said.join('') + parts.ask;
}

function headOf(parts: ToolParts, told: string | null, tools: readonly Tool[]): string {
  const { told: around, untold } = parts;
  if (tools.length === 0) return told === null ? untold : around.join(told);
  const beginning = told === null ? parts.untoldTools : around[0] + told + parts.toldTools;
  const texts = tools.map((tool) => json(parts.whole ? tool : tool.function));
  return beginning + texts.join(parts.betweenTools) + parts.afterTools;
}

/**
 * Writes the found texts as a Go template for Ollama. The text with which a tool call begins comes directly after `.ToolCalls`,
 * since Ollama takes the text there as the one that it searches in answers to recognise tool calls.
 */
export function goTemplate(parts: ToolParts): string {
  const { call, user: ofUser, assistant: ofReply, result: ofResult } = parts;
  const calls =
    `{{ if .ToolCalls }}{{ range $i, $call := .ToolCalls }}${go(call.before)}{{ $call.Function.Name }}${go(call.beforeArguments)}` +
    `{{ $call.Function.Arguments }}${go(call.after)}{{ if gt (len (slice $message.ToolCalls $i)) 1 }}${go(call.between)}{{ end }}{{ end }}{{ end }}`;
  const content = `{{ if .Content }}{{ .Content }}{{ with .ToolCalls }}${go(call.behindContent)}{{ end }}{{ end }}`;
  const around = ([before, after]: Around, text = '{{ .Content }}') => `${go(before)}${text}${go(after)}`;
  return (
    `${go(parts.start)}{{ if .Tools }}{{ if .System }}${go(parts.told[0])}{{ .System }}${go(parts.toldTools)}{{ else }}${go(parts.untoldTools)}{{ end }}` +
    `{{ range $i, $tool := .Tools }}{{ if $i }}${go(parts.betweenTools)}{{ end }}{{ $tool${parts.whole ? '' : '.Function'} }}{{ end }}${go(parts.afterTools)}` +
    `{{ else if .System }}${around(parts.told, '{{ .System }}')}{{ else }}${go(parts.untold)}{{ end }}` +
    `{{ range $k, $message := .Messages }}{{ if eq .Role "user" }}${around(ofUser)}` +
    `{{ else if eq .Role "assistant" }}${around(ofReply, content + calls)}` +
    `{{ else if eq .Role "tool" }}${around(ofResult)}{{ end }}{{ end }}${go(parts.ask)}`
  );
}

/** Escapes a text so that Go does not read `{{` in it as an action. */
export const go = (text: string): string => text.replaceAll('{{', '{{ "{{" }}');

/** Texts before, between and after markers. @throws where a marker is missing */
export function between(text: string, ...marks: readonly string[]): string[] {
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

/** Throws where the text begins differently. */
function behind(text: string, beginning: string): string {
  if (!text.startsWith(beginning)) throw new Error('the template writes a message otherwise in another place');
  return text.slice(beginning.length);
}

/** Throws where the text ends differently. */
function without(text: string, end: string): string {
  if (!text.endsWith(end)) throw new Error('the template writes a message otherwise in another place');
  return text.slice(0, text.length - end.length);
}
