// The parts of one answer as they become certain.
import { randomUUID } from 'node:crypto';
import { messageParts, type CalledTool, type PartsOptions } from './message-parts.js';

interface Parts {
  text: string;
  reasoning?: string;
  calls?: readonly CalledTool[];
}

export class PartStreamer {
  #text = '';
  #sent: { text: number; reasoning: number; calls: number } = { text: 0, reasoning: 0, calls: 0 };
  #calls: CalledTool[] = [];
  #whole: Required<Parts> = { text: '', reasoning: '', calls: [] };

  /** @param options.singleCall calls after the first are left out */
  constructor(private readonly options: PartsOptions & { singleCall: boolean }) {}

  /** The parts of the text so far. */
  get whole(): Required<Parts> {
    return this.#whole;
  }

  /**
   * @param isLast no text follows
   * @returns what is new in each part; null where nothing is
   */
  add(text: string, isLast: boolean): Parts | null {
    this.#text += text;
    const { content, reasoning, calls } = messageParts(this.#text, this.options, isLast);
    for (const call of calls.slice(this.#calls.length, this.options.singleCall ? 1 : undefined))
      this.#calls.push({ ...call, index: this.#calls.length, id: this.#callId() });
    this.#whole = { text: content, reasoning, calls: this.#calls };
    const sent = this.#sent;
    this.#sent = { text: content.length, reasoning: reasoning.length, calls: this.#calls.length };
    const isNew = Object.entries(this.#sent).some(([part, length]) => length > sent[part as keyof typeof sent]);
    if (!isNew) return null;
    return {
      text: content.slice(sent.text),
      reasoning: reasoning.slice(sent.reasoning),
      calls: this.#calls.slice(sent.calls),
    };
  }

  /** Mistral's templates take ids of nine letters and digits alone. */
  #callId(): string {
    const id = randomUUID().replaceAll('-', '');
    return this.options.format === 'mistral' ? id.slice(0, 9) : `call_${id}`;
  }
}
