// The events of a stream that passes through: those that end an answer are held back until the record is on disk, as clients leave there.

type Json = Record<string, unknown>;

/** The types of events that end an answer of Anthropic's messages and of responses. */
const ENDS = ['message_stop', 'response.completed', 'response.incomplete', 'response.failed'];

export class HeldEvents {
  /** The beginning of an event whose end has not come. */
  #begun = '';
  #held = '';
  /** The indices of choices of which an event is held: what follows of them waits behind it. */
  readonly #ended = new Set<unknown>();

  /** @returns the whole events of the text so far that need not wait; others of several choices pass those that have ended */
  add(text: string): string {
    const parts = (this.#begun + text).match(/.*?\r?\n\r?\n|.+$/gs) ?? [];
    this.#begun = parts.at(-1)?.endsWith('\n\n') || parts.at(-1)?.endsWith('\n\r\n') ? '' : (parts.pop() ?? '');
    return parts.filter((part) => !this.#holds(part)).join('');
  }

  /** All that was held back, in its order, with the beginning of a last event that has no end. */
  end(): string {
    return this.#held + this.#begun;
  }

  #holds(part: string): boolean {
    const data = dataOf(part);
    const choices = Array.isArray(data?.choices) ? (data.choices as Json[]) : [];
    const indices = choices.map(({ index = 0 }) => index);
    const waits =
      choices.length > 0
        ? choices.some(({ finish_reason: reason }) => reason) || indices.some((index) => this.#ended.has(index))
        : this.#held !== '' || isEnd(part, data);
    if (!waits) return false;
    for (const index of indices) this.#ended.add(index);
    this.#held += part;
    return true;
  }
}

const isEnd = (part: string, data: Json | null): boolean =>
  data === null
    ? /^data: ?\[DONE\]/m.test(part)
    : ENDS.includes(String(data.type)) || Boolean((data.delta as Json | undefined)?.stop_reason);

/** Null where an event has no JSON object. */
function dataOf(part: string): Json | null {
  const lines = part.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  try {
    const data: unknown = JSON.parse(lines.map((line) => line.slice(5)).join('\n'));
    return typeof data === 'object' ? (data as Json | null) : null;
  } catch {
    return null;
  }
}
