// Stores responses in memory, so that later requests can continue them. Beyond the limits, the oldest are removed.
import type { Steps } from '@bowyer/text';
import { jsonBytesInSteps } from '../../http/json-writing.js';
import type { StorageLimits } from '../protocol.js';

export type Item = Readonly<Record<string, unknown>> & { id: string };

export interface StoredResponse {
  id: string;
  /** The response as its client has received it. */
  response: object;
  /** The input items of the request that led to the response. */
  input: readonly Item[];
  /** All items of the conversation including the response, which a later request can continue. */
  context: readonly Item[];
}

export class StoredResponses {
  readonly #stored = new Map<string, StoredResponse & { bytes: number }>();
  #bytes = 0;

  constructor(private readonly limits: StorageLimits) {}

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#stored.size;
  }

  /** Stores a response. Measuring its size as JSON takes time, and is therefore done in steps, between which other work runs. */
  *add(stored: StoredResponse): Steps<void> {
    const parts = yield* jsonBytesInSteps([stored.response, stored.context]);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    const { responses, bytes: most } = this.limits;
    if (responses === 0 || bytes > most) return;
    for (const id of this.#stored.keys()) {
      if (this.#stored.size < responses && this.#bytes + bytes <= most) break;
      this.delete(id);
    }
    this.#stored.set(stored.id, { ...stored, bytes });
    this.#bytes += bytes;
  }

  get(id: string): StoredResponse | undefined {
    return this.#stored.get(id);
  }

  /** Returns whether it was stored. */
  delete(id: string): boolean {
    this.#bytes -= this.#stored.get(id)?.bytes ?? 0;
    return this.#stored.delete(id);
  }

  /** Returns the item of a stored response by the item's id; the newest response is searched first. */
  item(id: string): Item | undefined {
    for (const { context } of [...this.#stored.values()].reverse()) {
      const found = context.find((item) => item.id === id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
