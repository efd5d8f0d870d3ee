// Joins the calls of another endpoint's answer from pieces, which endpoints number and name in several ways.
import { jsonAsWritten } from '@bowyer/text';
import { UnreadAnswerError } from './unread-answer-error.js';

export interface ReadCall {
  id: string;
  name: string;
  /** The arguments as they were sent, also where they are not JSON. */
  arguments: string;
}

type Json = Record<string, unknown>;

/** A call whose pieces may still come. */
interface GrowingCall {
  /** The endpoint's number of the call; undefined where it has none. */
  index: number | undefined;
  id: string;
  name: string;
  pieces: string[];
}

/** A piece of a call; missing fields are undefined. */
interface Piece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  text: string;
}

export class GrowingCalls {
  readonly #calls: GrowingCall[] = [];

  /** Starts an answer. @param keep called with each text that is kept; returns it */
  constructor(
    private readonly keep: (text: string) => string,
    private readonly mostCalls: number,
  ) {}

  /** Adds a whole call. */
  add(call: Json): void {
    this.#begin(pieceOf(call));
  }

  /**
   * Adds the pieces of one delta. Endpoints say in different ways which call a piece belongs to: with an `index`, with none, with the same
   * one for all, with the id in the first piece or in each. A piece begins a call if its index or its id is new; where they are missing,
   * if it has a name and the arguments before it are whole. A name in several pieces is refused.
   *
   * @throws {UnreadAnswerError} where the call of a piece is not known
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

  /** Returns the calls in the order of their indices, or in that in which they have begun. @throws {UnreadAnswerError} where one has no name */
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

  /** Returns the call that a piece continues; null: it begins one. */
  #callOf(piece: Piece): GrowingCall | null {
    const { index, id, name } = piece;
    const ofIndex = index === undefined ? this.#calls : this.#calls.filter((call) => call.index === index);
    const ofId = id === undefined ? undefined : ofIndex.findLast((call) => call.id === id);
    const known = ofId ?? ofIndex.at(-1);
    if (known === undefined) return null;
    const hasOtherId = id !== undefined && known.id !== '' && known.id !== id;
    if (name === undefined) {
      // Older versions of vLLM give each piece an id of its own.
      if (hasOtherId && index === undefined) throw new UnreadAnswerError(`a call with the id '${id}' has no name`);
      return known;
    }
    if (hasOtherId) return null;
    return known.name === '' || this.#continues(known, piece) ? known : null;
  }

  /** Returns whether a piece with a name belongs to the call before it, whose name came already. */
  #continues(known: GrowingCall, { index, id, name, text }: Piece): boolean {
    const isNumbered = index !== undefined || id !== undefined;
    if (isWhole(known)) return isNumbered && text === '' && name === known.name;
    if (isNumbered && name === known.name) return true;
    // It may be the rest of the name, or a call after one without arguments.
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

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Returns whether the arguments so far are an object of JSON. */
function isWhole({ pieces }: GrowingCall): boolean {
  const last = pieces.findLast((piece) => piece.trim() !== '');
  if (!last?.trimEnd().endsWith('}')) return false; // this avoids parsing a long text again with each piece
  try {
    JSON.parse(pieces.join(''));
    return true;
  } catch {
    return false;
  }
}
