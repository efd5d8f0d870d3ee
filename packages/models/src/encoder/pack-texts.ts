// Packs texts for an encoder: the tokens of all texts one after the other without padding, and the indices by which attention
// finds the tokens of each text.
import { firstPosition, maxTokens, type EncoderConfig } from './encoder-config.js';

/** The number of classes of texts by length, each with its own attention products. Measured: docs/decisions/archer.md. */
export const TEXT_CLASSES = 3;

/** The inputs of the encoder's graph for packed texts. */
interface PackedTexts {
  inputs: Record<string, { dims: number[]; data: Int32Array | Float32Array }>;
  /** [texts] for each text, the row of the graph's output that has its features, since the output is ordered by class. */
  rows: Int32Array;
}

/**
 * Packs texts into classes of similar length.
 *
 * @param texts the token ids of each text with special tokens; there is at least one text
 * @param sized rounds up each size of a class, so that few different sizes occur: the number of texts, their length, and the
 *   number of their tokens
 */
export function packTexts(
  texts: readonly (readonly number[])[],
  config: EncoderConfig,
  sized: (size: number) => number = (size) => size,
): PackedTexts {
  // Classes must not be empty: if there are fewer texts, texts of one padding token are added, whose features are ignored.
  const fillers = Math.max(0, TEXT_CLASSES - texts.length);
  const all = [...texts, ...Array.from({ length: fillers }, () => [config.padTokenId])];
  const order = [...all.keys()].sort((a, b) => all[a].length - all[b].length || a - b);
  const sorted = order.map((text) => all[text]);
  const cuts = [
    ...cheapestCuts(
      sorted.map(({ length }) => length),
      TEXT_CLASSES,
    ),
    sorted.length,
  ];
  const inputs: PackedTexts['inputs'] = {};
  const rows = new Int32Array(all.length);
  let classRow = 0;
  cuts.forEach((end, c) => {
    const begin = cuts[c - 1] ?? 0;
    Object.assign(inputs, classFeeds(c, sorted.slice(begin, end), config, sized));
    for (let i = begin; i < end; i++) rows[order[i]] = classRow + i - begin;
    classRow += sized(end - begin);
  });
  return { inputs, rows: rows.subarray(0, texts.length) };
}

/** Makes the graph's inputs for class `c` of texts. @param texts in order of length, the longest last */
function classFeeds(
  c: number,
  texts: readonly (readonly number[])[],
  config: EncoderConfig,
  sized: (size: number) => number,
): PackedTexts['inputs'] {
  const [count, length] = [sized(texts.length), Math.min(sized(texts.at(-1)!.length), maxTokens(config))];
  const given = texts.flat();
  // Token rows are added until their number is a rounded size. An added row stands for a padding position of the class's matrix,
  // where the gradient is 0; a matrix without padding gets no rows.
  const ids = new Int32Array(Math.min(sized(given.length), count * length)).fill(config.padTokenId);
  ids.set(given);
  const positions = new Int32Array(ids.length).fill(firstPosition(config));
  const back = new Int32Array(ids.length);
  const places = new Int32Array(count * length);
  const mask = new Float32Array(count * length);
  let row = 0;
  texts.forEach((text, t) =>
    text.forEach((_, i) => {
      const place = t * length + i;
      positions[row] = firstPosition(config) + i;
      back[row] = place;
      mask[place] = 1;
      places[place] = row++;
    }),
  );
  back.fill(Math.max(0, mask.indexOf(0)), row);
  const [own, matrix] = [[ids.length], [count, length]];
  return {
    [`ids_${c}`]: { dims: own, data: ids },
    [`positions_${c}`]: { dims: own, data: positions },
    [`back_${c}`]: { dims: own, data: back },
    [`places_${c}`]: { dims: matrix, data: places },
    [`mask_${c}`]: { dims: matrix, data: mask },
  };
}

/**
 * Divides sorted lengths into `count` consecutive classes with the fewest attention scores, Σ texts · longest² over the classes.
 * The result is exact, by dynamic programming in O(count · lengths²).
 *
 * @returns the first index of each class except the first class; classes are never empty
 */
export function cheapestCuts(lengths: readonly number[], count: number): number[] {
  const score = (begin: number, end: number) => (end - begin) * lengths[end - 1] ** 2;
  // costs[end − 1] is the fewest scores of the first `end` lengths in the classes so far; `begins` lists, for one more class each
  // time, the index at which the last class begins.
  let costs = lengths.map((_, i) => score(0, i + 1));
  const begins: number[][] = [];
  for (let part = 1; part < count; part++) {
    const [next, from] = [
      new Array<number>(lengths.length).fill(Infinity),
      new Array<number>(lengths.length).fill(part),
    ];
    for (let end = part + 1; end <= lengths.length; end++)
      for (let begin = part; begin < end; begin++) {
        const cost = costs[begin - 1] + score(begin, end);
        if (cost >= next[end - 1]) continue;
        next[end - 1] = cost;
        from[end - 1] = begin;
      }
    costs = next;
    begins.push(from);
  }
  const cuts: number[] = [];
  let end = lengths.length;
  for (const from of begins.reverse()) cuts.unshift((end = from[end - 1]));
  return cuts;
}
