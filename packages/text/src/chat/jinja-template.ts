// A model's own chat template (Jinja, as in tokenizer_config.json), with the tokens that the assistant wrote marked.
// Source: huggingface.co/docs/transformers/chat_templating; `{% generation %}` marks them as in `apply_chat_template` with
// return_assistant_tokens_mask.
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import {
  ChatTemplateError,
  ChatTemplateLimitError,
  isWithoutEnd,
  lossWeight,
  shown as shownMessage,
  type ChatMessage,
  type ChatTemplate,
  type Conversation,
  type EncodedConversation,
  type PromptEnding,
  type TemplateInputs,
} from './chat-message.js';
import { finished } from '../steps.js';
import { Template, type Rendered } from '../jinja/template.js';
import { TemplateError } from '../jinja/template-error.js';
import { TemplateLimitError } from '../jinja/work.js';
import { LeftOut } from './left-out.js';
import { lengthWithoutEnd, markedAtEnd, upToMark } from './open-message.js';
import { servedTurns } from './served-turns.js';
import { tokenOffsets } from './token-offsets.js';

interface JinjaTemplateOptions {
  /** Used where a dialogue has tools; null: the template itself. */
  withTools?: string | null;
  /** Variables of the template besides the messages: bos_token, eos_token, … */
  variables: Readonly<Record<string, unknown>>;
  /** Returns the time that `strftime_now` writes. */
  now?: () => Date;
}

interface CharSpan {
  start: number;
  end: number;
}

/** Text that is learnt. */
interface LearntSpan extends CharSpan {
  /** The weight in the loss. */
  weight: number;
}

/** Variables that every dialogue or the tokenizer gives. */
const OF_EVERY_DIALOGUE = /^(messages|tools|documents|add_generation_prompt|continue_final_message|\w+_token)$/;

export class JinjaTemplate implements ChatTemplate {
  readonly terminatorIds: readonly number[];
  readonly source: string;
  readonly #template: Template;
  readonly #withTools: Template;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #leftOut = new LeftOut((messages, inputs, asks) => this.render(messages, inputs, asks).text);

  constructor(
    source: string,
    private readonly tokenizer: Tokenizer,
    { withTools = null, variables, now }: JinjaTemplateOptions,
  ) {
    this.#template = parsed(source, now);
    this.#withTools = withTools === null ? this.#template : parsed(withTools, now);
    this.#variables = variables;
    this.source = JSON.stringify([source, withTools, variables]);
    this.terminatorIds = tokenizer.eosTokenId >= 0 ? [tokenizer.eosTokenId] : [];
  }

  encodeConversation(messages: readonly ChatMessage[], inputs: TemplateInputs = {}): EncodedConversation[] {
    if (this.#templateFor(inputs).hasGenerationBlocks) return [this.#encodeMarked(messages, inputs)];
    const turns = servedTurns(messages, (some, asks) => this.render(some, inputs, asks).text);
    return turns.map(({ text, written }) => this.#encoded(text, written));
  }

  /** Names the variables that the template, or its form for dialogues with tools, reads from outside. */
  get variables(): string[] {
    return [...new Set([...this.#template.variables, ...this.#withTools.variables])];
  }

  get ownVariables(): string[] {
    return this.variables.filter((name) => !OF_EVERY_DIALOGUE.test(name)).sort();
  }

  leavesOut(conversation: Conversation): string[] {
    return this.#leftOut.of(conversation);
  }

  get hasGenerationBlocks(): boolean {
    return this.#template.hasGenerationBlocks;
  }

  encodePrompt(messages: readonly ChatMessage[], inputs: TemplateInputs = {}): number[] {
    return this.tokenizer.encode(this.render(messages, inputs, true).text);
  }

  *writePromptInSteps(
    messages: readonly ChatMessage[],
    inputs: TemplateInputs = {},
    ending: PromptEnding = 'reply',
  ): Generator<undefined, () => number[]> {
    const shown = ending === 'open' ? markedAtEnd(messages) : messages;
    const { text } = yield* this.#renderInSteps(shown, inputs, ending === 'reply');
    const prompt = ending === 'open' ? upToMark(text, messages) : text;
    return () => this.tokenizer.encode(prompt);
  }

  encodeContinuation(messages: readonly ChatMessage[], from: number): number[] | null {
    const { content } = messages[from - 1];
    if (typeof content !== 'string') return null;
    const { text: asked } = this.render(messages.slice(0, from - 1), {}, true);
    const { text } = this.render(messages, {}, true);
    if (!text.startsWith(asked)) return null;
    const written = writtenLength(text.slice(asked.length), content);
    if (written === null) return null;
    const ids = this.tokenizer.encode(text);
    const before = this.tokenizer.encode(text.slice(0, asked.length + written));
    // A token across the boundary would repeat the end of the message.
    return before.every((id, i) => id === ids[i]) ? ids.slice(before.length) : null;
  }

  /** Encodes the whole dialogue, of which the template's generation blocks are learnt. */
  #encodeMarked(messages: readonly ChatMessage[], inputs: TemplateInputs): EncodedConversation {
    const { text, spans } = this.render(messages, inputs, false);
    const left = spans.filter(({ index }) => index === null);
    if (left.length > 0 && messages.some((message) => lossWeight(message) !== 1 || message.cut))
      throw new ChatTemplateError(
        'a message has a weight in the loss, or was cut off, and a {% generation %} block is outside of every loop over the messages: it is not clear to which message it belongs',
        'leave out the weight, or use another template',
      );
    const learnt = spans.map(({ index, ...span }) => {
      if (index === null) return { ...span, weight: 1 };
      const end = messages[index].cut ? Math.min(span.end, this.#cutAt(messages, index, inputs)) : span.end;
      return end < span.start ? { ...span, weight: 0 } : { ...span, end, weight: lossWeight(messages[index]) };
    });
    const ids = this.tokenizer.encode(text);
    const offsets = tokenOffsets(this.tokenizer, text, ids);
    if (offsets === null) return this.#encoded(text, learnt);
    return { ids, lossMask: maskAsTransformers(offsets, learnt) };
  }

  /** Finds the place where the text of a message ends within that of its dialogue; 0 where it is not known. */
  #cutAt(messages: readonly ChatMessage[], index: number, inputs: TemplateInputs): number {
    if (isWithoutEnd(messages[index])) return 0;
    const [before, after] = [messages.slice(0, index + 1), messages.slice(index + 1)];
    return lengthWithoutEnd(before, (marked) => this.render([...marked, ...after], inputs, false).text) ?? 0;
  }

  #encoded(text: string, spans: readonly LearntSpan[]): EncodedConversation {
    const ids = this.tokenizer.encode(text);
    const lossMask = new Array<number>(ids.length).fill(0);
    const offsets = tokenOffsets(this.tokenizer, text, ids);
    const before = (place: number) => this.#tokensBefore(ids, offsets, text, place);
    for (const { start, end, weight } of spans) lossMask.fill(weight, before(start), before(end));
    return { ids, lossMask };
  }

  /** Counts the text's tokens before a character; one across the boundary belongs to what follows. */
  #tokensBefore(ids: readonly number[], offsets: readonly CharSpan[] | null, text: string, place: number): number {
    if (place === text.length) return ids.length;
    if (offsets !== null) {
      const next = offsets.findIndex(({ end }) => end > place);
      return next < 0 ? ids.length : next;
    }
    const before = this.tokenizer.encode(text.slice(0, place));
    const different = before.findIndex((id, i) => id !== ids[i]);
    return different < 0 ? before.length : different;
  }

  #templateFor = ({ tools }: TemplateInputs): Template => (tools === undefined ? this.#template : this.#withTools);

  /** Writes a dialogue as text. @param addGenerationPrompt whether it ends with what asks for a reply */
  render(messages: readonly ChatMessage[], inputs: TemplateInputs, addGenerationPrompt: boolean): Rendered {
    return finished(this.#renderInSteps(messages, inputs, addGenerationPrompt));
  }

  *#renderInSteps(
    messages: readonly ChatMessage[],
    inputs: TemplateInputs,
    addGenerationPrompt: boolean,
  ): Generator<undefined, Rendered> {
    const shown = messages.map(shownMessage);
    const { tools = null, documents = null, variables } = inputs;
    const given = { messages: shown, tools, documents, add_generation_prompt: addGenerationPrompt };
    try {
      return yield* this.#templateFor(inputs).renderInSteps({ ...this.#variables, ...given, ...variables }, shown);
    } catch (error) {
      if (error instanceof TemplateLimitError) throw new ChatTemplateLimitError(error.message);
      throw new ChatTemplateError(
        `it refuses these messages: ${problemOf(error)}`,
        `their roles are ${messages.map(({ role }) => role).join(', ')}`,
      );
    }
  }
}

/**
 * Masks as transformers does, from the first token that has the block's first character to the first that has its last: where a last
 * character has several tokens, the others are not learnt; an empty block within a token makes this token learnt.
 */
function maskAsTransformers(offsets: readonly CharSpan[], spans: readonly LearntSpan[]): number[] {
  const mask = new Array<number>(offsets.length).fill(0);
  const tokenOf = (place: number) => offsets.findIndex(({ start, end }) => start <= place && place < end);
  for (const { start, end, weight } of spans) {
    const [first, last] = [tokenOf(start), tokenOf(end - 1)];
    if (first >= 0 && last >= 0) mask.fill(weight, first, last + 1);
  }
  return mask;
}

/**
 * Describes an error of the template. The stack overflows in a macro that calls itself, or in a template of nothing but brackets.
 *
 * @throws errors that are not the template's fault
 */
function problemOf(error: unknown): string {
  if (error instanceof TemplateError) return error.message;
  if (error instanceof RangeError && error.message.includes('call stack'))
    return 'macros, brackets or values are nested too deeply';
  throw error;
}

function parsed(source: string, now?: () => Date): Template {
  try {
    return new Template(source, now);
  } catch (error) {
    throw new ChatTemplateError(
      `it cannot be read: ${problemOf(error)}`,
      'is it a Jinja template, as in tokenizer_config.json?',
    );
  }
}

/**
 * Counts the characters at the beginning of `rest` that render a message. A template may trim it, or put spaces before it; spaces that
 * were sampled at its end count as long as the template writes them too. null: the message is not there.
 */
function writtenLength(rest: string, content: string): number | null {
  if (rest.startsWith(content)) return content.length;
  const trimmed = content.trim();
  const end = rest.length - rest.trimStart().length + trimmed.length;
  if (!rest.slice(0, end).endsWith(trimmed)) return null;
  const spaces = content.slice(content.trimEnd().length);
  return rest.startsWith(spaces, end) ? end + spaces.length : end;
}
