// Encodes dialogues by a chat template in Jinja, and finds the tokens that the assistant wrote, which are trained on.
// Source: huggingface.co/docs/transformers/chat_templating; a template may mark the assistant's tokens with `{% generation %}`,
// as for `apply_chat_template` with return_assistant_tokens_mask.
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
import { jsonAsWritten, textAsWritten } from '../jinja/written-json.js';
import { LeftOut } from './left-out.js';
import { lengthWithoutEnd, markedAtEnd, upToMark } from './open-message.js';
import { servedTurns } from './served-turns.js';
import { tokenOffsets } from './token-offsets.js';

interface JinjaTemplateOptions {
  /** The source of the template for dialogues with tools; null: the same template is used. */
  withTools?: string | null;
  /** Variables that the template gets besides the messages: bos_token, eos_token, … */
  variables: Readonly<Record<string, unknown>>;
  /** Returns the time that the template's function `strftime_now` formats. */
  now?: () => Date;
}

interface CharSpan {
  start: number;
  end: number;
}

interface LearntSpan extends CharSpan {
  weight: number;
}

/** Matches the variables that every dialogue has, or that come from the tokenizer; they are not among `ownVariables`. */
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

  /** Lists the variables that the template, or its variant for dialogues with tools, gets from its caller. */
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
    // If a token spans the boundary, the end of the message cannot be encoded separately.
    return before.every((id, i) => id === ids[i]) ? ids.slice(before.length) : null;
  }

  /** Encodes the whole dialogue with a template that has `{% generation %}` blocks; the tokens in these blocks are trained on. */
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

  /** Returns the position in the dialogue's text at which the text of a message that was cut off ends; 0 if it is unknown. */
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

  /** Counts the tokens before a position in the dialogue's text; a token that spans the position is not counted. */
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

  /** Writes a dialogue as text. `addGenerationPrompt`: whether the text ends with the beginning of a reply. */
  render(messages: readonly ChatMessage[], inputs: TemplateInputs, addGenerationPrompt: boolean): Rendered {
    return finished(this.#renderInSteps(messages, inputs, addGenerationPrompt));
  }

  *#renderInSteps(
    messages: readonly ChatMessage[],
    inputs: TemplateInputs,
    addGenerationPrompt: boolean,
  ): Generator<undefined, Rendered> {
    const shown = messages.map(shownMessage);
    try {
      return yield* this.#renderShown(shown, inputs, addGenerationPrompt);
    } catch (error) {
      if (error instanceof TemplateLimitError) throw new ChatTemplateLimitError(error.message);
      const inTexts = error instanceof TemplateError ? withArgumentTexts(shown) : null;
      if (inTexts !== null) {
        try {
          return yield* this.#renderShown(inTexts, inputs, addGenerationPrompt);
        } catch (second) {
          if (second instanceof TemplateLimitError) throw new ChatTemplateLimitError(second.message);
          if (!(second instanceof TemplateError)) throw second;
        }
      }
      throw new ChatTemplateError(
        `it refuses these messages: ${problemOf(error)}`,
        `their roles are ${messages.map(({ role }) => role).join(', ')}`,
      );
    }
  }

  #renderShown(
    messages: readonly ChatMessage[],
    inputs: TemplateInputs,
    addGenerationPrompt: boolean,
  ): Generator<undefined, Rendered> {
    const { tools = null, documents = null, variables } = inputs;
    const given = { messages, tools, documents, add_generation_prompt: addGenerationPrompt };
    return this.#templateFor(inputs).renderInSteps({ ...this.#variables, ...given, ...variables }, messages);
  }
}

/**
 * Writes objects of arguments as JSON texts, since some templates, such as DeepSeek's, concatenate them; null if there are none.
 */
function withArgumentTexts(messages: readonly ChatMessage[]): ChatMessage[] | null {
  let isChanged = false;
  const inText = (called: Readonly<Record<string, unknown>>) => {
    const given = called.arguments;
    if (typeof given !== 'object' || given === null) return called;
    isChanged = true;
    return { ...called, arguments: textAsWritten(given) ?? jsonAsWritten(given, [', ', ': ']) };
  };
  const changed = messages.map((message) => {
    const calls = message.tool_calls;
    if (!Array.isArray(calls)) return message;
    const written = calls.map((call: { function?: Readonly<Record<string, unknown>> }) =>
      call.function ? { ...call, function: inText(call.function) } : call,
    );
    return { ...message, tool_calls: written };
  });
  return isChanged ? changed : null;
}

/**
 * Makes the loss mask from `{% generation %}` blocks as transformers does: from the first token with the block's first character
 * to the first token with its last character, even if that consists of several tokens; for an empty block inside a token, that
 * token is trained on.
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
 * Describes a template's error. An overflow of the stack is also the template's fault: a macro that calls itself, or deeply
 * nested brackets.
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
 * Counts the characters at the beginning of `rest` (the rendered text after the prompt) that are the message's content, which a
 * template may trim or begin with spaces; null if `rest` does not begin with the content.
 */
function writtenLength(rest: string, content: string): number | null {
  if (rest.startsWith(content)) return content.length;
  const trimmed = content.trim();
  const end = rest.length - rest.trimStart().length + trimmed.length;
  if (!rest.slice(0, end).endsWith(trimmed)) return null;
  const spaces = content.slice(content.trimEnd().length);
  return rest.startsWith(spaces, end) ? end + spaces.length : end;
}
