// Finds the parts of a dialogue that a chat template does not write: tools, tool calls, their results, thoughts, or text beside
// calls. It renders the dialogue with unique words in place of these parts, and searches for the words in the text.
import {
  ChatTemplateError,
  ChatTemplateLimitError,
  type ChatMessage,
  type Conversation,
  type TemplateInputs,
} from './chat-message.js';
import { sharingSteps } from '../jinja/work.js';

/** Writes a dialogue as text. `asks`: whether the text ends with the beginning of a reply (the generation prompt). */
type Render = (messages: readonly ChatMessage[], inputs: TemplateInputs, asks: boolean) => string;

/** The keys of a message that have no content of their own, so that a template which does not write them omits nothing. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'role',
  'loss',
  'cut',
  'name',
  'id',
  'tool_call_id',
  'timestamp',
  'created_at',
  'date',
  'time',
  'model',
  'source',
  'metadata',
  'meta',
  'info',
  'usage',
  'finish_reason',
  'end_turn',
  'recipient',
  'index',
  'turn',
  'lang',
  'language',
  'uuid',
]);

/** The keys whose values must be in the text as a whole. For other keys it is enough that the text changes with the value. */
const WRITTEN_WHOLE: readonly string[] = ['content', 'tool_calls', 'reasoning_content', 'thinking', 'reasoning'];

const isFilled = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !(typeof value === 'string' && value.trim() === '') &&
  !(typeof value === 'object' && Object.keys(value).length === 0);

/** Lists the keys of a message whose content a template should write. */
export const sayingKeys = (message: ChatMessage): string[] =>
  Object.keys(message).filter((key) => !SAYS_NOTHING.has(key) && isFilled(message[key]));

class Marks {
  readonly #marks: string[] = [];

  /** Replaces every text and number in a value by a unique word, except under the keys in `kept`. */
  planted(value: unknown, kept: readonly string[] = []): unknown {
    if (typeof value === 'string') return value.trim() === '' ? value : this.#next((count) => `zqmark${count}qz`);
    if (typeof value === 'number') return Number(this.#next((count) => String(7_310_000_519 + 1000 * count)));
    if (Array.isArray(value)) return value.map((item) => this.planted(item, kept));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      kept.includes(key) ? item : this.planted(item, kept),
    ]);
    return Object.fromEntries(entries) as Record<string, unknown>;
  }

  /** Returns a unique word that can be used as the name of a tool. */
  name(): string {
    return this.#next((count) => `zqmark${count}qz`);
  }

  areIn(text: string): boolean {
    const lower = text.toLowerCase();
    return this.#marks.length > 0 && this.#marks.every((mark) => lower.includes(mark));
  }

  areSomeIn(text: string): boolean {
    const lower = text.toLowerCase();
    return this.#marks.some((mark) => lower.includes(mark));
  }

  #next(spell: (count: number) => string): string {
    this.#marks.push(spell(Marks.#count++));
    return this.#marks.at(-1)!;
  }

  static #count = 0;
}

/** Messages with the same role, keys and form of calls are checked once. */
export class LeftOut {
  readonly #seen = new Set<string>();

  constructor(private readonly render: Render) {}

  of(conversation: Conversation): string[] {
    return sharingSteps(() => this.#leftOutOf(conversation));
  }

  #leftOutOf({ messages, inputs = {} }: Conversation): string[] {
    const ofInputs = (['tools', 'documents'] as const).flatMap((key) => {
      if (!isFilled(inputs[key]) || !this.#isNew(key) || this.#writesInput(key, messages, inputs)) return [];
      return key === 'tools' && this.#writesInput('tools', messages, withoutParameters(inputs)) ? [PARAMETERS] : [key];
    });
    const ofMessages = messages.flatMap((message, at) => {
      const keys = sayingKeys(message);
      if (!this.#isNew(kindOf(message, keys))) return [];
      const lost = keys.filter((key) => !this.#writesKey(key, at, messages, inputs));
      return lost.map((key) => wordsFor(key, message));
    });
    return [...new Set([...ofInputs, ...ofMessages])];
  }

  #isNew(kind: string): boolean {
    const isNew = !this.#seen.has(kind);
    this.#seen.add(kind);
    return isNew;
  }

  #writesInput(key: 'tools' | 'documents', messages: readonly ChatMessage[], inputs: TemplateInputs): boolean {
    const marks = inputs[key]!.map(() => new Marks());
    const planted = inputs[key]!.map((value, i) =>
      key === 'tools' ? plantedTool(value, marks[i]) : marks[i].planted(value),
    );
    const text = this.#textOf(messages, { ...inputs, [key]: planted as TemplateInputs['tools'] }, true);
    if (text === null) return this.#changes(messages, inputs, messages, { ...inputs, [key]: undefined });
    return marks.every((each) => (key === 'tools' ? each.areIn(text) : each.areSomeIn(text)));
  }

  #writesKey(key: string, at: number, messages: readonly ChatMessage[], inputs: TemplateInputs): boolean {
    const marks = new Marks();
    const message = messages[at];
    const value =
      key === 'tool_calls' ? plantedCalls(message[key], marks) : marks.planted(message[key], ['type', 'id']);
    const planted = messages.map((each, i) => (i === at ? { ...message, [key]: value } : each));
    const asks = message.role !== 'assistant';
    // Templates may omit thoughts of earlier messages, so the message is also rendered as the last one.
    const texts = [this.#textOf(planted, inputs, false), this.#textOf(planted.slice(0, at + 1), inputs, asks)];
    if (texts.some((text) => text !== null && marks.areIn(text))) return true;
    if (WRITTEN_WHOLE.includes(key) && texts.some((text) => text !== null)) return false;
    const rest: ChatMessage = { ...message };
    Reflect.deleteProperty(rest, key);
    const without = messages.map((each, i) => (i === at ? rest : each));
    return (
      this.#changes(messages, inputs, without, inputs) ||
      this.#changes(messages.slice(0, at + 1), inputs, without.slice(0, at + 1), inputs)
    );
  }

  /** True also if the template refuses the first dialogue, since that error is reported elsewhere. */
  #changes(
    messages: readonly ChatMessage[],
    inputs: TemplateInputs,
    others: readonly ChatMessage[],
    otherInputs: TemplateInputs,
  ): boolean {
    const text = this.#textOf(messages, inputs, true);
    return text === null || text !== this.#textOf(others, otherInputs, true);
  }

  /** Renders a dialogue as text; null if the template refuses the dialogue. */
  #textOf(messages: readonly ChatMessage[], inputs: TemplateInputs, asks: boolean): string | null {
    try {
      return this.render(messages, inputs, asks);
    } catch (error) {
      if (error instanceof ChatTemplateError && !(error instanceof ChatTemplateLimitError)) return null;
      throw error;
    }
  }
}

/** Equal for messages that a template treats alike: with the same role, keys and form of tool calls. */
function kindOf(message: ChatMessage, keys: readonly string[]): string {
  const calls = (message.tool_calls ?? []) as readonly Record<string, unknown>[];
  const content = Array.isArray(message.content) ? 'parts' : 'text';
  return JSON.stringify([message.role, keys, content, calls.length, 'function' in (calls[0] ?? {})]);
}

/** The description of what is missing if a template writes only the names of tools. */
const PARAMETERS = 'the parameters of tools';

const withoutParameters = ({ tools = [], ...inputs }: TemplateInputs): TemplateInputs => ({
  ...inputs,
  tools: tools.map((tool) => {
    const { parameters: _, ...called } = functionOf(tool);
    return withFunction(tool, called);
  }),
});

export const wordsFor = (key: string, { role }: ChatMessage): string =>
  key === 'content' ? `the content of ${role} messages` : `'${key}' of ${role} messages`;

type Json = Readonly<Record<string, unknown>>;

/** Returns the function of a tool or call, which may be nested under `function`. */
const functionOf = (value: Json): Json => (value.function as Json | undefined) ?? value;

const withFunction = (value: Json, called: Json): Json =>
  value.function === undefined ? called : { ...value, function: called };

/** Replaces a tool's name and the names of its parameters, which are all that calls repeat, by unique words. */
function plantedTool(tool: Json, marks: Marks): Json {
  const called = functionOf(tool);
  const parameters = called.parameters as Json | undefined;
  const properties = parameters?.properties as Json | undefined;
  const renamed = properties && Object.fromEntries(Object.values(properties).map((schema) => [marks.name(), schema]));
  return withFunction(tool, {
    ...called,
    ...(typeof called.name === 'string' && { name: marks.name() }),
    ...(renamed && { parameters: { ...parameters, properties: renamed } }),
  });
}

function plantedCalls(calls: unknown, marks: Marks): unknown {
  return (calls as readonly Json[]).map((call) => {
    const called = functionOf(call);
    return withFunction(call, { ...called, name: marks.name(), arguments: marks.planted(called.arguments) });
  });
}
