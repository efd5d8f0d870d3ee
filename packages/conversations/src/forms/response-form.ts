// Converts items and tools of OpenAI's Responses API to the form of chat templates. All items that the model wrote between two
// inputs become one message of the assistant.
import type { ChatMessage } from '@bowyer/text';
import { EarlierCalls, type EarlierCall } from './calls.js';
import { listed, type Fields } from './fields.js';

/** The rules for the keys of items and tools, by the kind of object. */
export interface ResponseRules<Rules> {
  'message item': Rules;
  'function_call item': Rules;
  'function_call_output item': Rules;
  'reasoning item': Rules;
  'content part': Rules;
  'tools[]': Rules;
  namespace: Rules;
}

/** Only a message may omit its type. */
type Item = Readonly<Record<string, unknown>>;

/** The assistant's message that is being built from consecutive items. */
interface OpenMessage {
  reasoning: string;
  content: string;
  calls: object[];
  beside: Readonly<Record<string, unknown>>;
}

/**
 * Converts items. System messages at the beginning are joined to the instructions, since few templates accept several.
 *
 * @param items all items of the prompt in their order
 * @param fields the request's fields, for the paths in errors
 */
export function* readResponseItems<Rules>(
  fields: Fields<Rules>,
  items: readonly Item[],
  instructions: string,
  rules: ResponseRules<Rules>,
): Generator<undefined, ChatMessage[]> {
  const messages: ChatMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  const reader = new ItemReader(rules);
  let open: OpenMessage | null = null;
  for (const [i, item] of items.entries()) {
    const read = reader.typed(fields, item, i);
    const own = reader.ownPart(read, item);
    if (own !== null) {
      const begins: boolean = open === null || (own.reasoning !== '' && (open.content !== '' || open.calls.length > 0));
      if (begins && open !== null) messages.push(assistant(open));
      open = begins ? own : joined(open!, own);
    } else {
      if (open !== null) messages.push(assistant(open));
      open = null;
      reader.addInput(messages, read, item);
    }
    yield;
  }
  if (open !== null) messages.push(assistant(open));
  return messages;
}

const joined = (first: OpenMessage, second: OpenMessage): OpenMessage => ({
  reasoning: first.reasoning + second.reasoning,
  content: first.content + second.content,
  calls: [...first.calls, ...second.calls],
  beside: { ...first.beside, ...second.beside },
});

const assistant = ({ reasoning, content, calls, beside }: OpenMessage): ChatMessage => ({
  role: 'assistant',
  content,
  ...(reasoning !== '' && { reasoning_content: reasoning }),
  ...(calls.length > 0 && { tool_calls: calls }),
  ...beside,
});

class ItemReader<Rules> {
  readonly #calls = new EarlierCalls();

  constructor(private readonly rules: ResponseRules<Rules>) {}

  typed(fields: Fields<Rules>, item: Item, i: number): Fields<Rules> {
    const known = `${String(item.type)} item`;
    const place = `input[${i}]`;
    if (Object.hasOwn(this.rules, known))
      return fields.within(item, this.rules[known as keyof ResponseRules<Rules>], place);
    const problem = `is '${String(item.type)}', a kind of item that this server does not read`;
    throw fields.within(item, null, place).fail('type', problem);
  }

  /** Converts an item that the model wrote to a part of the assistant's message; null if the item is an input. */
  ownPart(read: Fields<Rules>, { type }: Item): OpenMessage | null {
    const empty = { reasoning: '', content: '', calls: [], beside: read.beside() };
    if (type === 'reasoning') return { ...empty, reasoning: this.#reasoningOf(read) };
    if (type === 'function_call') return { ...empty, calls: [this.#callOf(read)] };
    if (type !== 'message' || read.value('role') !== 'assistant') return null;
    return { ...empty, content: this.#contentOf(read, 'content') };
  }

  addInput(messages: ChatMessage[], read: Fields<Rules>, { type }: Item): void {
    const beside = read.beside();
    if (type === 'function_call_output') {
      const result = this.#calls.result(read.text('call_id', ''), this.#contentOf(read, 'output'));
      messages.push({ ...result, ...beside });
      return;
    }
    const role = read.choice('role', ['user', 'system', 'developer', 'assistant'], 'user');
    const content = this.#contentOf(read, 'content');
    const isFirst = messages.length === 1 && messages[0].role === 'system';
    if (role === 'user') messages.push({ role, content, ...beside });
    else if (isFirst) messages[0] = { role: 'system', content: `${String(messages[0].content)}\n\n${content}` };
    else messages.push({ role: 'system', content, ...beside });
  }

  #callOf(read: Fields<Rules>): EarlierCall {
    const own = read.text('name', '');
    if (own === '') throw read.fail('name', 'must be a string');
    const namespace = read.text('namespace', '');
    const name = namespace === '' ? own : wholeName({ namespace, name: own });
    return this.#calls.call(read.text('call_id', ''), name, read.value('arguments'));
  }

  /** Returns the text of a field that contains a text or text parts. */
  #contentOf(read: Fields<Rules>, name: string): string {
    const value = read.value(name);
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.length === 0) return '';
    return read
      .objects(name, null)
      .map((part, i) => {
        const type = part.text('type', '');
        if (!Object.hasOwn(textNames, type))
          throw part.fail('type', `is '${type}', which cannot be read; this model reads text only`);
        return read.within(part.plain(), this.rules['content part'], `${name}[${i}]`).text(textNames[type], '');
      })
      .join('');
  }

  /** Returns a reasoning item's content or summary, or the text that this project's server sends as `encrypted_content`. */
  #reasoningOf(read: Fields<Rules>): string {
    for (const name of ['content', 'summary']) {
      const value = read.value(name);
      if (Array.isArray(value) && value.length > 0) return this.#contentOf(read, name);
    }
    return Buffer.from(read.text('encrypted_content', ''), 'base64').toString();
  }
}

/** The fields with the text, by the type of the content part. */
const textNames: Readonly<Record<string, string>> = {
  input_text: 'text',
  output_text: 'text',
  text: 'text',
  summary_text: 'text',
  reasoning_text: 'text',
  refusal: 'refusal',
};

/** The namespace of a tool and its name within the namespace, as the client knows them. */
interface SpacedName {
  namespace: string;
  name: string;
}

export interface ResponseTools {
  /** The tools in the form of Chat Completions, which chat templates read. */
  tools: Record<string, unknown>[];
  /** The tools that have a namespace, by the joined names that the model uses. */
  spaced: ReadonlyMap<string, SpacedName>;
  /** The paths of tools that are ignored, which are web searches on the server: agents offer them to any server. */
  left: readonly string[];
}

const wholeName = ({ namespace, name }: SpacedName): string => `${namespace}__${name}`;

export function readResponseTools<Rules>(fields: Fields<Rules>, rules: ResponseRules<Rules>): ResponseTools {
  const spaced = new Map<string, SpacedName>();
  const left: string[] = [];
  const tools = listed(fields, 'tools', null).flatMap((tool, i) => {
    const type = tool.text('type', '');
    if (type.startsWith('web_search')) {
      left.push(fields.placeOf(`tools[${i}]`));
      return [];
    }
    if (type !== 'namespace') return [functionOf(fields, tool, rules, { place: `tools[${i}]` })];
    return ofNamespace(fields.within(tool.plain(), rules.namespace, `tools[${i}]`), rules, spaced);
  });
  checkNames(fields, tools);
  return { tools, spaced, left };
}

function ofNamespace<Rules>(
  space: Fields<Rules>,
  rules: ResponseRules<Rules>,
  spaced: Map<string, SpacedName>,
): Record<string, unknown>[] {
  const namespace = nameOf(space);
  const about = space.text('description', '');
  return space.objects('tools', null).map((given, i) => {
    const tool = functionOf(space, given, rules, { place: `tools[${i}]`, about });
    const name = (tool.function as { name: string }).name;
    const whole = wholeName({ namespace, name });
    spaced.set(whole, { namespace, name });
    return { ...tool, function: { ...(tool.function as object), name: whole } };
  });
}

/** Converts a function tool. @param of.about the description of the tool's namespace, which is put before the tool's own */
function functionOf<Rules>(
  fields: Fields<Rules>,
  given: Fields<Rules>,
  rules: ResponseRules<Rules>,
  { place, about = '' }: { place: string; about?: string },
): Record<string, unknown> {
  const type = given.text('type', '');
  if (type !== 'function')
    throw given.fail(
      'type',
      `is '${type}', a tool that a server runs or reads in its own way; this server serves 'function' and 'namespace'`,
    );
  const tool = fields.within(given.plain(), rules['tools[]'], place);
  const description = [about, tool.text('description', '')].filter((text) => text !== '').join('\n');
  const strict = tool.boolean('strict');
  const parameters = tool.value('parameters') === undefined ? null : tool.object('parameters', null).plain();
  const described = { ...(description !== '' && { description }), ...(parameters && { parameters }) };
  return { type: 'function', function: { name: nameOf(tool), ...described, ...(strict && { strict }) } };
}

function nameOf<Rules>(tool: Fields<Rules>): string {
  const name = tool.text('name', '');
  if (name === '') throw tool.fail('name', 'must be a string');
  return name;
}

/** Checks that the names of all tools differ, since a call could otherwise not be assigned to a tool. */
function checkNames<Rules>(fields: Fields<Rules>, tools: readonly Record<string, unknown>[]): void {
  const names = tools.map((tool) => (tool.function as { name: string }).name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw fields.fail('tools', `has two tools that are called as '${twice}'`);
}
