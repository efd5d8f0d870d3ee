// Makes damaged copies of valid inputs for the fuzz tests: of bytes at any place, and of values in JSON.
import type { Rng } from '@bowyer/core';

const EXTREMES = [0, 1, -1, 127, 128, 255, 256, 65535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 53];
const INTERESTING = ['\0', '\n', '"', '\\', '{', '}', '[', ']', ':', ',', '\ufeff', '\ud83d\ude00', '${', '%0', '../'];

const pick = <T>(rng: Rng, items: readonly T[]): T => items[rng.integer(0, items.length - 1)];

/** Makes one to four changes of bytes: flips, cuts, copies, insertions, and integers at their limits. */
export function damageBytes(bytes: Uint8Array, rng: Rng): Uint8Array {
  let damaged = Buffer.from(bytes);
  for (let left = rng.integer(1, 4); left > 0; left--) damaged = byteChanges[rng.integer(0, 5)](damaged, rng);
  return damaged;
}

const placeIn = (bytes: Buffer, rng: Rng) => rng.integer(0, Math.max(0, bytes.length - 1));

const byteChanges: readonly ((bytes: Buffer, rng: Rng) => Buffer<ArrayBuffer>)[] = [
  (bytes, rng) => {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[placeIn(bytes, rng)] ^= 1 << rng.integer(0, 7);
    return changed;
  },
  (bytes, rng) => Buffer.from(bytes.subarray(0, placeIn(bytes, rng))),
  (bytes, rng) => {
    const at = placeIn(bytes, rng);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + rng.integer(1, 16))]);
  },
  (bytes, rng) => {
    const [at, from] = [placeIn(bytes, rng), placeIn(bytes, rng)];
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + rng.integer(1, 64)), bytes.subarray(at)]);
  },
  (bytes, rng) => {
    const at = placeIn(bytes, rng);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(rng, INTERESTING)), bytes.subarray(at)]);
  },
  (bytes, rng) => {
    const changed = Buffer.from(bytes);
    const width = pick(rng, [1, 2, 4, 8]);
    const at = placeIn(bytes, rng);
    const value = Buffer.alloc(8);
    value.writeBigInt64LE(BigInt(pick(rng, EXTREMES)));
    value.copy(changed, at, 0, Math.min(width, changed.length - at));
    return changed;
  },
];

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  '',
  ' ',
  'a',
  '\0',
  '-1',
  'NaN',
  '../..',
  [],
  {},
  [[]],
  [null],
  [0, 0],
  { '': 0 },
  { __proto__: null, type: 'x' },
  'x'.repeat(5000),
];

/** Replaces, omits, repeats or renames one to three values of a JSON text. */
export function damageJson(text: string, rng: Rng): string {
  const root = { value: JSON.parse(text) as unknown };
  for (let left = rng.integer(1, 3); left > 0; left--) {
    const places = placesOf(root);
    if (places.length === 0) break;
    const { owner, key } = pick(rng, places);
    damagePlace(owner, key, rng, places);
  }
  return JSON.stringify(root.value) ?? 'undefined';
}

interface Place {
  owner: Record<string, unknown>;
  key: string;
}

/** Lists the places of values, except those deep in lists that an earlier change has nested. */
function placesOf(owner: object, depth = 0): Place[] {
  return Object.entries(owner).flatMap(([key, value]) => [
    { owner: owner as Record<string, unknown>, key },
    ...(value !== null && typeof value === 'object' && depth < 20 ? placesOf(value as object, depth + 1) : []),
  ]);
}

function damagePlace(owner: Record<string, unknown>, key: string, rng: Rng, places: readonly Place[]): void {
  const change = rng.integer(0, 9);
  if (change === 0) delete owner[key];
  else if (change === 1) owner[`${key}${pick(rng, INTERESTING)}`] = owner[key];
  else if (change === 2) {
    // A copy prevents a tree that contains itself.
    const other = pick(rng, places);
    owner[key] = structuredClone(other.owner[other.key]);
  } else if (change === 3) owner[key] = nested(rng.integer(1, 1000));
  else owner[key] = structuredClone(pick(rng, VALUES));
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** The limits of a value's growth: characters of a text, and members of a list or an object. */
const GROWN = { characters: 400_000, members: 20_000 };

/** Makes one value of a JSON text longer: a text, a list, or the members of an object, up to the size that a body may have. */
export function growJson(text: string, rng: Rng): string {
  const root = { value: JSON.parse(text) as unknown };
  const places = placesOf(root).filter(({ owner, key }) => lengthOf(owner[key]) > 0);
  if (places.length === 0) return text;
  const { owner, key } = pick(rng, places);
  owner[key] = grown(owner[key], 10 ** (1 + 4 * rng.uniform()));
  return JSON.stringify(root.value);
}

const lengthOf = (value: unknown): number =>
  typeof value === 'string'
    ? value.length
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length
      : 0;

function grown(value: unknown, times: number): unknown {
  if (typeof value === 'string') return value.repeat(Math.ceil(Math.min(times, GROWN.characters / value.length)));
  const members = Object.entries(value as object);
  const size = JSON.stringify(value).length;
  const count = Math.ceil(Math.min(times, GROWN.members / members.length, GROWN.characters / size));
  const copies = Array.from({ length: count }, (_, i) => i);
  if (Array.isArray(value)) return copies.flatMap((copy) => value.map((each: unknown) => changedBy(each, copy)));
  return Object.fromEntries(
    copies.flatMap((copy) => members.map(([key, each]) => [copy === 0 ? key : `${key}${copy}`, each])),
  );
}

/** Changes most copies of a value. */
const changedBy = (value: unknown, copy: number): unknown =>
  copy % 10 === 0
    ? value
    : typeof value === 'string'
      ? `${value}${copy}`
      : typeof value === 'number'
        ? value + copy
        : value;

/** Damages the text in the JSON, or its bytes at any place, equally often. */
export const damageText = (seed: Uint8Array, rng: Rng) =>
  rng.uniform() < 0.5 ? damageBytes(seed, rng) : Buffer.from(damageJson(Buffer.from(seed).toString(), rng));
/** Damages one of the lines. */
export const damageLines = (seed: Uint8Array, rng: Rng) => {
  const lines = Buffer.from(seed).toString().split('\n');
  const at = rng.integer(0, lines.length - 1);
  lines[at] = Buffer.from(damageText(Buffer.from(lines[at]), rng)).toString();
  return Buffer.from(lines.join('\n'));
};

/** Damages lines. In half of the cases, it damages JSON in a text of the line, such as arguments of calls in spans. */
export function damageNestedLines(seed: Uint8Array, rng: Rng): Uint8Array {
  if (rng.uniform() < 0.5) return damageLines(seed, rng);
  const lines = Buffer.from(seed).toString().split('\n');
  const at = rng.integer(0, lines.length - 1);
  const root = { value: JSON.parse(lines[at] || '{}') as unknown };
  const texts = placesOf(root).filter(
    ({ owner, key }) => /^[[{]/.test(String(owner[key])) && typeof owner[key] === 'string',
  );
  if (texts.length === 0) return damageLines(seed, rng);
  const { owner, key } = pick(rng, texts);
  owner[key] = damageJson(owner[key] as string, rng);
  lines[at] = JSON.stringify(root.value);
  return Buffer.from(lines.join('\n'));
}
