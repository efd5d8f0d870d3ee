// The parts of an assistant's message: reasoning between <think> and </think>, content, and calls of tools, as chat templates
// have them. Works on the text so far, so that a stream sends each part when it is certain.
// Sources: the chat templates of Hermes and Qwen 2.5 and 3, Qwen 3 Coder and 3.5, Mistral, Llama 3.1 and later.

import { isTooDeep } from '../http/json-nesting.js';

/** How a template writes calls of tools. */
export type CallFormat = keyof typeof callReaders;

export interface ToolCall {
  name: string;
  /** JSON. */
  arguments: string;
}

/** A call with what a client tells it by. */
export interface CalledTool extends ToolCall {
  /** In its answer. */
  index: number;
  id: string;
}

export interface MessageParts {
  reasoning: string;
  content: string;
  calls: readonly ToolCall[];
}

export interface PartsOptions {
  /** Null: calls are not looked for. */
  format: CallFormat | null;
  /** The prompt ended with <think>. */
  startsInReasoning: boolean;
  /** JSON schemas of parameters, by the tool's name: which values are text. */
  schemas: Readonly<Record<string, ParameterSchemas>>;
}

type ParameterSchemas = Readonly<Record<string, { type?: unknown }>>;

const [THINK, END_OF_THINK] = ['<think>', '</think>'];
const [CALL, END_OF_CALL] = ['<tool_call>', '</tool_call>'];
const [MISTRAL, PYTHON_TAG] = ['[TOOL_CALLS]', '<|python_tag|>'];

/** Texts that decoding keeps, even where they are special tokens. */
export const partMarks = [THINK, END_OF_THINK, CALL, END_OF_CALL, MISTRAL, '[ARGS]', PYTHON_TAG];

/**
 * @param isWhole no text follows; else each part is the beginning of what it will be, and calls are those that have ended
 */
export function messageParts(text: string, options: PartsOptions, isWhole: boolean): MessageParts {
  const { reasoning, rest } = splitReasoning(text, options.startsInReasoning, isWhole);
  if (rest === null) return { reasoning, content: '', calls: [] };
  if (options.format === null) return { reasoning, content: rest, calls: [] };
  return { reasoning, ...callReaders[options.format](rest, isWhole, options.schemas) };
}

/** `rest` is null while it is not known where the reasoning ends. */
function splitReasoning(text: string, startsInside: boolean, isWhole: boolean) {
  const start = text.trimStart();
  const opened = start.startsWith(THINK);
  if (!opened && !startsInside) {
    const mayOpen = !isWhole && THINK.startsWith(start);
    return { reasoning: '', rest: mayOpen ? null : text };
  }
  const inside = (opened ? start.slice(THINK.length) : text).trimStart();
  const end = inside.indexOf(END_OF_THINK);
  if (end < 0) return { reasoning: beforeMark(inside, END_OF_THINK, isWhole).trimEnd(), rest: isWhole ? '' : null };
  return { reasoning: inside.slice(0, end).trimEnd(), rest: inside.slice(end + END_OF_THINK.length).trimStart() };
}

/** Without the end that may be the beginning of `mark`. */
function beforeMark(text: string, mark: string, isWhole: boolean): string {
  if (isWhole) return text;
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return text.slice(0, -length);
  return text;
}

type Read = Pick<MessageParts, 'content' | 'calls'>;

const callReaders = {
  hermes: (text: string, isWhole: boolean) => readBlocks(text, isWhole, jsonCall),
  'qwen-xml': (text: string, isWhole: boolean, schemas: PartsOptions['schemas']) =>
    readBlocks(text, isWhole, (block) => xmlCall(block, schemas)),
  mistral: readMistral,
  llama3: readLlama,
} satisfies Record<string, (text: string, isWhole: boolean, schemas: PartsOptions['schemas']) => Read>;

export const callFormats = Object.keys(callReaders);

/** Calls between <tool_call> and </tool_call>; other text stays content. */
function readBlocks(text: string, isWhole: boolean, read: (block: string) => ToolCall | null): Read {
  const [before, ...blocks] = text.split(CALL);
  if (blocks.length === 0) return { content: trimmedEnd(beforeMark(before, CALL, isWhole), isWhole), calls: [] };
  const calls: ToolCall[] = [];
  let content = before.trimEnd();
  for (const [i, block] of blocks.entries()) {
    const end = block.indexOf(END_OF_CALL);
    if (end < 0 && !isWhole && i === blocks.length - 1) break; // it has not ended
    const call = read(end < 0 ? block : block.slice(0, end));
    if (call) calls.push(call);
    else content += `${CALL}${block}`;
  }
  return { content, calls };
}

/** Space before a mark belongs to no part. */
const trimmedEnd = (text: string, isWhole: boolean) => (isWhole ? text : text.trimEnd());

/** `[TOOL_CALLS]` with a list of calls, or before each call `name{…}`. */
function readMistral(text: string, isWhole: boolean): Read {
  const [before, ...blocks] = text.split(MISTRAL);
  if (blocks.length === 0) return { content: trimmedEnd(beforeMark(before, MISTRAL, isWhole), isWhole), calls: [] };
  const content = before.trimEnd();
  if (!isWhole) return { content, calls: [] };
  const calls = blocks.flatMap((block) => mistralCalls(block.trim()) ?? [null]);
  return calls.includes(null) ? { content: text, calls: [] } : { content, calls: calls as ToolCall[] };
}

function mistralCalls(block: string): (ToolCall | null)[] | null {
  const named = /^([\w.-]+)(?:\[ARGS\])?\s*(\{.*\})$/s.exec(block);
  if (named) return [callOf({ name: named[1], arguments: parsed(named[2]) })];
  const list = parsed(block);
  return Array.isArray(list) ? list.map(callOf) : null;
}

/** The whole message is one call, or several with semicolons between. */
function readLlama(text: string, isWhole: boolean): Read {
  const body = text.trimStart().replace(PYTHON_TAG, '');
  const mayCall = body === '' || body.startsWith('{') || (!isWhole && PYTHON_TAG.startsWith(body));
  if (!mayCall) return { content: text, calls: [] };
  if (!isWhole) return { content: '', calls: [] };
  const calls = body.split(/;\s*(?=\{)/).map(jsonCall);
  return calls.includes(null) ? { content: text, calls: [] } : { content: '', calls: calls as ToolCall[] };
}

const jsonCall = (block: string): ToolCall | null => callOf(parsed(block));

/** Values deeper than a request may send back are not read as arguments. */
function parsed(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Null where it is not a call. */
function callOf(value: unknown): ToolCall | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, arguments: given, parameters = {} } = value as Record<string, unknown>;
  const args = given ?? parameters;
  if (typeof name !== 'string' || name === '' || typeof args !== 'object') return null;
  return { name, arguments: JSON.stringify(args) };
}

/** <function=name> with a <parameter=key> for each argument, whose value is JSON unless the schema says that it is text. */
function xmlCall(block: string, schemas: PartsOptions['schemas']): ToolCall | null {
  const found = /^\s*<function=([^>\s]+)>(.*?)(?:<\/function>)?\s*$/s.exec(block);
  if (!found) return null;
  const [, name, body] = found;
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : {};
  const args = [...body.matchAll(/<parameter=([^>\s]+)>\n?(.*?)\n?<\/parameter>/gs)].map(([, key, value]) => {
    const isText = Object.hasOwn(schema, key) && schema[key].type === 'string';
    return [key, isText ? value : (parsed(value) ?? value)] as const;
  });
  return { name, arguments: JSON.stringify(Object.fromEntries(args)) };
}
