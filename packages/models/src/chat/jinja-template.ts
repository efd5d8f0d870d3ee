// A model's own chat template (Jinja, as in tokenizer_config.json), with the tokens that the assistant wrote marked.
// Source: https://huggingface.co/docs/transformers/chat_templating; `{% generation %}` marks them in newer templates.
import { Template } from '@huggingface/jinja';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { ChatTemplateError, type ChatMessage, type ChatTemplate, type EncodedConversation } from './chat-message.js';

/** Stand in the rendered text where a generation block begins and ends; of Unicode's private use, so no text has them. */
const [BEGIN, END] = ['\uE0F0', '\uE0F1'];

interface CharSpan {
  start: number;
  end: number;
}

export class JinjaTemplate implements ChatTemplate {
  readonly terminatorIds: readonly number[];
  readonly #template: Template;
  readonly #hasGenerationBlocks: boolean;

  /** @param variables what the template may use besides the messages: bos_token, eos_token, … */
  constructor(
    source: string,
    private readonly tokenizer: Tokenizer,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {
    const marked = withMarks(source);
    this.#hasGenerationBlocks = marked !== source;
    try {
      this.#template = new Template(marked);
    } catch (error) {
      throw new ChatTemplateError(
        `it cannot be read: ${(error as Error).message}`,
        'is it a Jinja template, as in tokenizer_config.json?',
      );
    }
    this.terminatorIds = tokenizer.eosTokenId >= 0 ? [tokenizer.eosTokenId] : [];
  }

  encodeConversation(messages: readonly ChatMessage[]): EncodedConversation {
    const { text, marks } = unmarked(this.#render(messages, false));
    const borders = messages.map((_, i) => this.#prefixLength(messages, i + 1, text));
    const written = this.#hasGenerationBlocks ? marks : this.#writtenSpans(messages, text, borders);
    const ids = this.tokenizer.encode(text);
    const tokensBefore = (length: number) => this.#tokensBefore(ids, text, length);
    const ends = borders.map((length, i) => (i === borders.length - 1 ? ids.length : tokensBefore(length)));
    const spans = ends.map((end, i) => ({ start: i === 0 ? 0 : ends[i - 1], end }));
    const lossMask = new Array<number>(ids.length).fill(0);
    for (const { start, end } of written) {
      const message = messages[borders.findIndex((border) => border > start)];
      if (message?.loss === false) continue;
      lossMask.fill(1, tokensBefore(start), tokensBefore(end));
    }
    return { ids, lossMask, spans };
  }

  encodePrompt(messages: readonly ChatMessage[]): number[] {
    return this.tokenizer.encode(unmarked(this.#render(messages, true)).text);
  }

  encodeContinuation(messages: readonly ChatMessage[], from: number): number[] | null {
    const { content } = messages[from - 1];
    const { text: asked } = unmarked(this.#render(messages.slice(0, from - 1), true));
    const { text } = unmarked(this.#render(messages, true));
    if (!text.startsWith(asked)) return null;
    const written = writtenLength(text.slice(asked.length), content);
    if (written === null) return null;
    const ids = this.tokenizer.encode(text);
    const before = this.tokenizer.encode(text.slice(0, asked.length + written));
    // A token across the boundary would repeat the end of the message.
    return before.every((id, i) => id === ids[i]) ? ids.slice(before.length) : null;
  }

  /** From the prompt that asks for a message to the message's end. */
  #writtenSpans(messages: readonly ChatMessage[], text: string, borders: readonly number[]): CharSpan[] {
    return messages.flatMap(({ role }, i) => {
      if (role !== 'assistant') return [];
      const { text: prompt } = unmarked(this.#render(messages.slice(0, i), true));
      if (!text.startsWith(prompt)) throw unstable(i, prompt, text);
      return [{ start: prompt.length, end: borders[i] }];
    });
  }

  /** Characters of the first `count` messages, which must be how the whole begins. */
  #prefixLength(messages: readonly ChatMessage[], count: number, text: string): number {
    if (count === messages.length) return text.length;
    const { text: prefix } = unmarked(this.#render(messages.slice(0, count), false));
    if (!text.startsWith(prefix)) throw unstable(count - 1, prefix, text);
    return prefix.length;
  }

  /** Number of the text's tokens before a character; one across the boundary belongs to what follows. */
  #tokensBefore(ids: readonly number[], text: string, length: number): number {
    const before = this.tokenizer.encode(text.slice(0, length));
    const different = before.findIndex((id, i) => id !== ids[i]);
    return different < 0 ? before.length : different;
  }

  #render(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string {
    const plain = messages.map(({ role, content }) => ({ role, content }));
    try {
      return this.#template.render({ ...this.variables, messages: plain, add_generation_prompt: addGenerationPrompt });
    } catch (error) {
      throw new ChatTemplateError(
        `it refuses these messages: ${(error as Error).message}`,
        `their roles are ${messages.map(({ role }) => role).join(', ')}`,
      );
    }
  }
}

/**
 * Characters at the beginning of `rest` that render a message. A template may trim it, or put spaces before it; spaces that
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

/** The template with characters printed where generation blocks begin and end; whitespace as Jinja's trim_blocks has it. */
const withMarks = (source: string) =>
  source
    .replace(/(?:^[ \t]*)?\{%(-?)\s*generation\s*(-?)%\}\n?/gm, `{{$1 '${BEGIN}' $2}}`)
    .replace(/(?:^[ \t]*)?\{%(-?)\s*endgeneration\s*(-?)%\}\n?/gm, `{{$1 '${END}' $2}}`);

function unmarked(rendered: string): { text: string; marks: CharSpan[] } {
  let text = '';
  const marks: CharSpan[] = [];
  for (const part of rendered.split(new RegExp(`(?=[${BEGIN}${END}])`))) {
    if (part.startsWith(BEGIN)) marks.push({ start: text.length, end: text.length });
    if (part.startsWith(END)) marks.at(-1)!.end = text.length;
    text += /^[\uE0F0\uE0F1]/.test(part) ? part.slice(1) : part;
  }
  return { text, marks };
}

function unstable(message: number, prefix: string, text: string): ChatTemplateError {
  const at = [...prefix].findIndex((char, i) => char !== text[i]);
  return new ChatTemplateError(
    `it renders the start of a dialogue differently when more messages follow (message ${message}: ${JSON.stringify(prefix.slice(at, at + 20))} becomes ${JSON.stringify(text.slice(at, at + 20))})`,
    'the tokens that the assistant wrote cannot be determined; use a template with {% generation %} blocks, or chat_template=chatml or llama2',
  );
}
