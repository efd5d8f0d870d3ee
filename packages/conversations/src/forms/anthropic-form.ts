// Converts messages and tools of Anthropic's API to the form of chat templates. A message of content blocks may become several.
import { jsonAsWritten, type ChatMessage } from '@bowyer/text';
import { EarlierCalls } from './calls.js';
import { listed, type Fields } from './fields.js';

/** The rules for the keys of the objects in messages and tools, by the kind of object. */
export interface AnthropicRules<Rules> {
  'text block': Rules;
  'thinking block': Rules;
  'redacted_thinking block': Rules;
  'tool_use block': Rules;
  'tool_result block': Rules;
  'document block': Rules;
  'search_result block': Rules;
  'tool_reference block': Rules;
  'tools[]': Rules;
}

/** Separates the texts of blocks that the model did not sample; texts that it sampled are concatenated. */
const BETWEEN_BLOCKS = '\n';

/**
 * Converts messages. System messages at any position are joined to the system text, since few templates accept later ones.
 *
 * @param fields the object with the field `system`
 */
export function* readAnthropicMessages<Rules>(
  fields: Fields<Rules>,
  given: readonly Fields<Rules>[],
  rules: AnthropicRules<Rules>,
): Generator<undefined, ChatMessage[]> {
  const reader = new AnthropicReader(rules);
  const system = [reader.textOf(fields, 'system')];
  const messages: ChatMessage[] = [];
  for (const message of given) {
    const role = message.choice('role', ['user', 'assistant', 'system'], 'user');
    if (message.value('role') === undefined) throw message.fail('role', 'is missing');
    const beside = message.beside();
    if (role === 'system') system.push(reader.textOf(message, 'content'));
    else if (role === 'assistant') messages.push({ ...reader.assistantMessage(message), ...beside });
    else for (const read of reader.userMessages(message)) messages.push({ ...read, ...beside });
    yield;
  }
  const text = system.filter((part) => part !== '').join('\n\n');
  return text === '' ? messages : [{ role: 'system', content: text }, ...messages];
}

interface Block<Rules> {
  type: string;
  fields: Fields<Rules>;
}

class AnthropicReader<Rules> {
  readonly #calls = new EarlierCalls();

  constructor(private readonly rules: AnthropicRules<Rules>) {}

  assistantMessage(message: Fields<Rules>): ChatMessage {
    const reasoning: string[] = [];
    const texts: string[] = [];
    const calls: object[] = [];
    for (const block of this.#blocksOf(message, 'content')) {
      const { type, fields } = block;
      if (type === 'text') texts.push(fields.text('text', ''));
      else if (type === 'thinking') reasoning.push(fields.text('thinking', ''));
      else if (type === 'tool_use') calls.push(this.#toolUse(fields));
      else if (type !== 'redacted_thinking') throw unread(block, "an assistant's message");
    }
    return {
      role: 'assistant',
      content: texts.join(''),
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  /** Arguments are an object in this API. */
  #toolUse(block: Fields<Rules>): object {
    const name = block.text('name', '');
    if (name === '') throw block.fail('name', 'must be a string');
    return this.#calls.call(block.text('id', ''), name, block.object('input', null).plain());
  }

  /** Converts a user message. The tool results in it become tool messages, and the texts between them user messages. */
  *userMessages(message: Fields<Rules>): Generator<ChatMessage> {
    let texts: string[] = [];
    for (const block of this.#blocksOf(message, 'content')) {
      if (block.type !== 'tool_result') {
        texts.push(this.#readableText(block, "a user's message"));
        continue;
      }
      if (texts.length > 0) yield { role: 'user', content: texts.join(BETWEEN_BLOCKS) };
      texts = [];
      yield this.#toolResult(block.fields);
    }
    if (texts.length > 0) yield { role: 'user', content: texts.join(BETWEEN_BLOCKS) };
  }

  /** The result of a failed call begins with `Error: `, since templates have no field for failures. */
  #toolResult(block: Fields<Rules>): ChatMessage {
    const content = block.value('content') === undefined ? [] : this.#blocksOf(block, 'content');
    const text = content.map((part) => this.#readableText(part, 'a result of a tool')).join(BETWEEN_BLOCKS);
    const isMarked = block.boolean('is_error') && !/^error\b/i.test(text);
    return this.#calls.result(block.text('tool_use_id', ''), isMarked ? `Error: ${text}` : text);
  }

  /** Returns the content blocks of a field; a text becomes one block. */
  #blocksOf(fields: Fields<Rules>, name: string): Block<Rules>[] {
    const value = fields.value(name);
    if (typeof value === 'string') {
      const block = { type: 'text', text: value };
      return [{ type: 'text', fields: fields.within(block, this.rules['text block'], name) }];
    }
    if (Array.isArray(value) && value.length === 0) return [];
    return fields.objects(name, null).map((given, i) => this.#block(fields, given, `${name}[${i}]`));
  }

  #block(parent: Fields<Rules>, given: Fields<Rules>, place: string): Block<Rules> {
    const type = given.text('type', '');
    const known = `${type} block`;
    if (!Object.hasOwn(this.rules, known)) throw unread({ type, fields: given }, `'${parent.placeOf(place)}'`);
    return { type, fields: parent.within(given.plain(), this.rules[known as keyof AnthropicRules<Rules>], place) };
  }

  #readableText(block: Block<Rules>, where: string): string {
    const { type, fields } = block;
    if (type === 'text') return fields.text('text', '');
    if (type === 'document') return this.#documentText(fields);
    // A search for tools has found this tool; `readAnthropicTools` adds it to the tools of the prompt.
    if (type === 'tool_reference') return fields.text('tool_name', '');
    if (type !== 'search_result') throw unread(block, where);
    const texts = this.#blocksOf(fields, 'content').map((part) => this.#readableText(part, 'a search result'));
    return [fields.text('title', ''), fields.text('source', ''), ...texts].join(BETWEEN_BLOCKS);
  }

  #documentText(fields: Fields<Rules>): string {
    const source = fields.object('source', null);
    const type = source.text('type', '');
    if (type !== 'text' && type !== 'content')
      throw source.fail('type', `is '${type}'; this model reads documents of text only`);
    const text =
      type === 'text'
        ? source.text('data', '')
        : this.#blocksOf(source, 'content')
            .map((part) => this.#readableText(part, 'a document'))
            .join(BETWEEN_BLOCKS);
    const about = [fields.text('title', ''), fields.text('context', '')].filter((part) => part !== '');
    return [...about, text].join(BETWEEN_BLOCKS);
  }

  /** Returns the text of a field that contains a text or text blocks. */
  textOf(fields: Fields<Rules>, name: string): string {
    if (fields.value(name) === undefined) return '';
    return this.#blocksOf(fields, name)
      .map((part) => this.#readableText(part, 'a system text'))
      .join(BETWEEN_BLOCKS);
  }
}

/** @param where names the message with the block */
const unread = <Rules>({ type, fields }: Block<Rules>, where: string): Error =>
  fields.fail('type', `is '${type}', which cannot be read in ${where}; this model reads text only`);

/**
 * Converts tools to the form of Chat Completions, which chat templates read. A tool with `defer_loading` is left out unless a
 * `tool_reference` in a tool result names it, as in Anthropic's API.
 */
export function readAnthropicTools<Rules>(
  fields: Fields<Rules>,
  rules: AnthropicRules<Rules>,
): Record<string, unknown>[] {
  const found = referencedTools(fields.value('messages'));
  return listed(fields, 'tools', null).flatMap((given, i) => {
    const type = given.text('type', 'custom');
    if (type !== 'custom')
      throw given.fail(
        'type',
        `is '${type}', a tool that a server runs, and there is none here; write a tool of your own`,
      );
    const tool = fields.within(given.plain(), rules['tools[]'], `tools[${i}]`);
    const name = tool.text('name', '');
    if (name === '') throw tool.fail('name', 'must be a string');
    const description = describedTool(tool);
    const parameters = tool.object('input_schema', null).plain();
    const strict = tool.boolean('strict');
    if (tool.boolean('defer_loading') && !found.has(name)) return [];
    const described = { name, ...(description !== '' && { description }), parameters, ...(strict && { strict }) };
    return [{ type: 'function', function: described }];
  });
}

/** Returns the names of the tools that a search for tools has found, from the tool results in the messages. */
function referencedTools(messages: unknown): Set<unknown> {
  const blocksOf = (holder: object) => {
    const { content } = holder as { content?: unknown };
    return Array.isArray(content) ? (content as object[]) : [];
  };
  const results = Array.isArray(messages) ? (messages as object[]).flatMap(blocksOf) : [];
  return new Set(results.flatMap(blocksOf).map((block) => (block as { tool_name?: unknown }).tool_name));
}

/** Returns a tool's description, followed by its examples, for which templates have no field. */
function describedTool<Rules>(tool: Fields<Rules>): string {
  const description = tool.text('description', '');
  if (tool.value('input_examples') === undefined) return description;
  const examples = tool.objects('input_examples', null).map((example) => jsonAsWritten(example.plain()));
  return [description, 'Examples:', ...examples].filter((line) => line !== '').join('\n');
}
