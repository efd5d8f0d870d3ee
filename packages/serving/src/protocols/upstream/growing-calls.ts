// Joins tool calls from the deltas of another endpoint's stream. Endpoints differ in how a delta names its call.
import { jsonAsWritten } from '@bowyer/text';
import { isGiven } from './json-values.js';
import { UnreadAnswerError } from './unread-answer-error.js';

export interface ReadCall {
  id: string;
  name: string;
  /** The arguments as the endpoint sent them, even if they are not JSON. */
  arguments: string;
}

type Json = Record<string, unknown>;

/** A tool call for which further deltas may arrive. */
interface GrowingCall {
  /** The index that the endpoint gave the call; undefined if it gave none. */
  index: number | undefined;
  id: string;
  name: string;
  pieces: string[];
}

/** One delta of a tool call; missing fields are undefined. */
interface Piece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  text: string;
}

export class GrowingCalls {
  readonly #calls: GrowingCall[] = [];

  /** @param keep called with each text that is recorded, which it counts and returns */
  constructor(
    private readonly keep: (text: string) => string,
    private readonly mostCalls: number,
  ) {}

  add(call: Json): void {
    this.#begin(pieceOf(call));
  }

  /**
   * Adds the tool calls of one event. Endpoints differ in how a delta names its call: with an `index`, without one, with the same
   * index for all calls, with the id in the first delta or in each. A delta begins a new call if its index or its id is new;
   * without both, if it has a name and the arguments of the previous call are complete. A name that is divided among several
   * deltas is refused.
   *
   * @throws {UnreadAnswerError} if the call of a delta cannot be determined
   */
  addPieces(calls: readonly Json[]): void {
    for (const call of calls) {
      const piece = pieceOf(call);
      if (calls.length > 1 && piece.index === undefined && piece.id === undefined && piece.name === undefined)
        throw new UnreadAnswerError('several pieces of calls have neither an index nor an id');
      const known = this.#callOf(piece);
      if (known === null) this.#begin(piece);
      else {
        known.name ||= piece.name ?? '';
        known.id ||= piece.id ?? '';
        known.pieces.push(this.keep(piece.text));
      }
    }
  }

  /**
   * Returns the calls in the order of their indices, or, if some index is missing or repeated, in the order in which they began.
   *
   * @throws {UnreadAnswerError} for a call without a name
   */
  all(): ReadCall[] {
    const indices = new Set(this.#calls.map(({ index }) => index));
    const isNumbered = indices.size === this.#calls.length && !indices.has(undefined);
    const inOrder = isNumbered ? [...this.#calls].sort((a, b) => a.index! - b.index!) : this.#calls;
    return inOrder.map(({ id, name, pieces }) => {
      if (name === '') throw new UnreadAnswerError('a call has no name');
      return { id, name, arguments: pieces.join('') };
    });
  }

  #begin({ index, id = '', name = '', text }: Piece): void {
    if (this.#calls.length >= this.mostCalls) throw new UnreadAnswerError(`it has more than ${this.mostCalls} calls`);
    this.#calls.push({ index, id: this.keep(id), name: this.keep(name), pieces: [this.keep(text)] });
  }

  /** Null if the delta begins a new call. */
  #callOf(piece: Piece): GrowingCall | null {
    const { index, id, name } = piece;
    const ofIndex = index === undefined ? this.#calls : this.#calls.filter((call) => call.index === index);
    const ofId = id === undefined ? undefined : ofIndex.findLast((call) => call.id === id);
    const known = ofId ?? ofIndex.at(-1);
    if (known === undefined) return null;
    const hasOtherId = id !== undefined && known.id !== '' && known.id !== id;
    if (name === undefined) {
      // A new id without an index could mean a new call, but older versions of vLLM give each delta of one call a different id.
      if (hasOtherId && index === undefined) throw new UnreadAnswerError(`a call with the id '${id}' has no name`);
      return known;
    }
    if (hasOtherId) return null;
    return known.name === '' || this.#continues(known, piece) ? known : null;
  }

  /** Returns whether a delta with a name continues the previous call, which already has a name. */
  #continues(known: GrowingCall, { index, id, name, text }: Piece): boolean {
    const isNumbered = index !== undefined || id !== undefined;
    if (isWhole(known)) return isNumbered && text === '' && name === known.name;
    if (isNumbered && name === known.name) return true;
    // The delta may contain the rest of the name, or begin a new call after one without arguments.
    throw new UnreadAnswerError(
      `a piece with the name '${name}' comes before the arguments of a call of '${known.name}' are whole, and it is not clear whose it is`,
    );
  }
}

function pieceOf(call: Json): Piece {
  const { index, id, function: called, type } = call;
  if (isGiven(type) && type !== 'function')
    throw new UnreadAnswerError(`it has a call of type '${String(type)}', which is not read`);
  const { name, arguments: args } = (called ?? {}) as Json;
  const text = typeof args === 'object' && args !== null ? jsonAsWritten(args) : args;
  if (isGiven(text) && typeof text !== 'string') throw new UnreadAnswerError('the arguments of a call are not a text');
  return {
    index: isGiven(index) ? indexOf(index) : undefined,
    id: isGiven(id) ? String(id) : undefined,
    name: isGiven(name) ? String(name) : undefined,
    text: (text as string | null | undefined) ?? '',
  };
}

function indexOf(given: unknown): number {
  const index = Number(given);
  if (Number.isSafeInteger(index) && index >= 0) return index;
  throw new UnreadAnswerError(`a call has the index ${String(given)}`);
}

/** Returns whether the arguments of a call are already a complete JSON object. */
function isWhole({ pieces }: GrowingCall): boolean {
  const last = pieces.findLast((piece) => piece.trim() !== '');
  if (!last?.trimEnd().endsWith('}')) return false; // avoids parsing a long text for each delta
  try {
    JSON.parse(pieces.join(''));
    return true;
  } catch {
    return false;
  }
}
