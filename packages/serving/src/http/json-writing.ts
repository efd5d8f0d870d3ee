// Writes large JSON in steps, since JSON.stringify blocks the server for half a second for a million numbers.

/** The values in one call of JSON.stringify, about a millisecond of work; larger arrays and objects take several calls. */
const PIECE = 2048;

/** The number of items of a `WrittenList` that are made in one step: making an item takes longer than writing it. */
const MADE_AT_ONCE = 64;

/** The number of characters of a string that take as long to write as one other value. */
const CHARACTERS = 64;

/** Its items are made while they are written, since all together would take much time and memory. */
export class WrittenList<Item> {
  constructor(
    readonly items: readonly Item[],
    readonly valueOf: (item: Item) => unknown,
  ) {}

  toJSON(): unknown[] {
    return this.items.map(this.valueOf);
  }
}

/** Writes a value as JSON in UTF-8. The result is a list of buffers, since joining many megabytes takes long. */
export function* jsonBytesInSteps(value: unknown): Generator<undefined, Buffer[]> {
  const parts: Buffer[] = [];
  for (const text of piecesOf(value)) {
    parts.push(Buffer.from(text));
    yield;
  }
  return parts;
}

/** Writes a value as JSON in steps, like `jsonBytesInSteps`, but returns a string. */
export function* jsonTextInSteps(value: unknown): Generator<undefined, string> {
  const parts: string[] = [];
  for (const text of piecesOf(value)) {
    parts.push(text);
    yield;
  }
  return parts.join('');
}

export const isWrittenAtOnce = (value: unknown): boolean => weightOf(value, PIECE) <= PIECE;

function* piecesOf(value: unknown): Generator<string> {
  if (isWrittenAtOnce(value) || !isContainer(value)) yield JSON.stringify(value);
  else if (value instanceof WrittenList) yield* piecesOfList(value.items, value.valueOf, MADE_AT_ONCE);
  else if (Array.isArray(value)) yield* piecesOfList(value, (item) => item);
  else yield* piecesOfObject(value);
}

function* piecesOfList<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => unknown,
  most = Infinity,
): Generator<string> {
  let before = '[';
  let group: unknown[] = [];
  let weight = 0;
  const written = (): string => {
    const text = `${before}${JSON.stringify(group).slice(1, -1)}`;
    [before, group, weight] = [',', [], 0];
    return text;
  };
  for (const item of items) {
    const value = valueOf(item);
    const own = weightOf(value, PIECE);
    if (weight > 0 && (weight + own > PIECE || group.length >= most)) yield written();
    if (own <= PIECE || !isContainer(value)) {
      group.push(value);
      weight += own;
      continue;
    }
    yield before;
    before = ',';
    yield* piecesOf(value);
  }
  if (weight > 0) yield written();
  yield before === '[' ? '[]' : ']';
}

function* piecesOfObject(object: object): Generator<string> {
  let before = '{';
  let group = newGroup();
  let weight = 0;
  const written = (): string => {
    const text = `${before}${JSON.stringify(group).slice(1, -1)}`;
    [before, group, weight] = [',', newGroup(), 0];
    return text;
  };
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
    const own = weightOf(value, PIECE);
    if (weight > 0 && weight + own > PIECE) yield written();
    if (own <= PIECE || !isContainer(value)) {
      group[key] = value;
      weight += own;
      continue;
    }
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    yield* piecesOf(value);
  }
  if (weight > 0) yield written();
  yield before === '{' ? '{}' : '}';
}

/** Returns an object without a prototype, in which `__proto__` is a key like any other. */
const newGroup = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;

/** Returns whether a value is written member by member; a value with its own `toJSON` is not. */
const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (value instanceof WrittenList || !('toJSON' in value));

/** The work of writing a value, as a number of simple values; any number above `most` if it exceeds `most`. */
function weightOf(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS;
  if (!isContainer(value)) return 1;
  if (value instanceof WrittenList) return value.items.length === 0 ? 1 : Infinity;
  let weight = 1;
  for (const member of (Array.isArray(value) ? value : Object.values(value)) as unknown[]) {
    weight += weightOf(member, most - weight);
    if (weight > most) break;
  }
  return weight;
}
