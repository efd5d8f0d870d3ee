// Makes the inputs of the built-in critics, which read a dialogue line by line: texts are cut into lines, and each different
// line, action and word of a batch is computed once. In a batch of episodes most lines occur many times, since every observation
// repeats the dialogue so far; the network then reads a few hundred short lines instead of two hundred long dialogues.
import type { Tokenizer } from '@bowyer/text';
import { roundedSize } from '../batching/few-sizes.js';

/**
 * Holds the inputs for N observations with U different lines, A different actions and W different words. U, A, W and N are
 * rounded up, so that few different tensor shapes occur; the added rows are zeros.
 */
export interface LineBatch {
  /** [W] the token ids of the different words. */
  words: Int32Array;
  /** [U, W] the weight of each word in the line, except for the line's last word: 1/√(number of words). */
  lineWords: Float32Array;
  /** [U] the line's last word (the answer to its question), as an index into `words`. */
  lineAnswers: Int32Array;
  /** [N, U] how often each line occurs in the observation. */
  lineCounts: Float32Array;
  /** For each decay a matrix [N, U]: Σ decay^(number of later lines in the observation) over the line's occurrences. */
  decayedCounts: Float32Array[];
  /** [N, 1] the number of lines of the observation. */
  turns: Float32Array;
  /** [A, W] the weight of each word in the action, 1/√(number of words). */
  actionWords: Float32Array;
  /** [N] the action of each observation, as an index into the rows of `actionWords`. */
  actions: Int32Array;
  sizes: { observations: number; lines: number; actions: number; words: number };
}

/** The most entries of a batch's matrices if it has several observations: N turns that each add a line would give N². */
const BATCH_ENTRIES = 2 ** 24;

/** The number of texts whose tokens are cached; a full cache is emptied. */
const cacheLimit = 100_000;

export class LineBatcher {
  readonly #cache = new Map<string, readonly number[]>();

  constructor(private readonly tokenizer: Tokenizer) {}

  /**
   * Makes batches of consecutive observations (turns of an episode have lines in common) within `BATCH_ENTRIES`.
   *
   * @param decays the decays of `decayedCounts`
   * @returns the batches in order, each with the indices of its observations
   */
  batches(
    observations: readonly string[],
    actions: readonly string[] | null,
    decays: readonly number[] = [],
  ): { items: number[]; batch: LineBatch }[] {
    const texts = observations.map(splitLines);
    return this.#parts(texts, actions, 1 + decays.length).map((items) => {
      const lines = items.map((i) => texts[i]);
      return { items, batch: this.#batch(lines, actions && items.map((i) => actions[i]), decays) };
    });
  }

  /**
   * Divides observations into batches within `BATCH_ENTRIES`; `matrices` is a batch's number of [observations, lines] matrices.
   */
  #parts(texts: readonly (readonly string[])[], actions: readonly string[] | null, matrices: number): number[][] {
    const parts: number[][] = [];
    let found = { lines: new Set<string>(), actions: new Set<string>(), words: new Set<number>() };
    const add = (i: number) => {
      const note = (text: string, known: Set<string>) => {
        if (known.has(text)) return;
        known.add(text);
        for (const id of this.#encode(text)) found.words.add(id);
      };
      for (const line of texts[i]) note(line, found.lines);
      if (actions) note(actions[i], found.actions);
    };
    for (const i of texts.keys()) {
      add(i);
      const part = parts.at(-1);
      const [lines, words] = [bucket(found.lines.size), bucket(found.words.size)];
      const entries = matrices * bucket((part?.length ?? 0) + 1) * lines + words * (lines + bucket(found.actions.size));
      if (part && entries <= BATCH_ENTRIES) part.push(i);
      else {
        parts.push([i]);
        found = { lines: new Set(), actions: new Set(), words: new Set() };
        add(i);
      }
    }
    return parts;
  }

  #batch(
    texts: readonly (readonly string[])[],
    actions: readonly string[] | null,
    decays: readonly number[],
  ): LineBatch {
    const lines = new Numbering<string>();
    const linesOf = texts.map((own) => own.map((line) => lines.indexOf(line)));
    const differentActions = new Numbering<string>();
    const actionOf = (actions ?? []).map((action) => differentActions.indexOf(action));

    const words = new Numbering<number>();
    const wordsOf = (text: string) => this.#encode(text).map((id) => words.indexOf(id));
    const lineIds = lines.items.map(wordsOf);
    const actionIds = differentActions.items.map(wordsOf);

    const sizes = {
      observations: bucket(texts.length),
      lines: bucket(lines.items.length),
      actions: bucket(differentActions.items.length),
      words: bucket(words.items.length),
    };
    const lineAnswers = new Int32Array(sizes.lines);
    lineIds.forEach((ids, i) => (lineAnswers[i] = ids.at(-1) ?? 0));
    return {
      sizes,
      words: padded(words.items, sizes.words),
      lineWords: pooling(
        lineIds.map((ids) => ids.slice(0, -1)),
        sizes.lines,
        sizes.words,
      ),
      lineAnswers,
      lineCounts: counts(linesOf, sizes.observations, sizes.lines),
      decayedCounts: decays.map((decay) => counts(linesOf, sizes.observations, sizes.lines, decay)),
      turns: Float32Array.from({ length: sizes.observations }, (_, i) => linesOf[i]?.length ?? 0),
      actionWords: pooling(actionIds, sizes.actions, sizes.words),
      actions: padded(actionOf, sizes.observations),
    };
  }

  #encode(text: string): readonly number[] {
    let ids = this.#cache.get(text);
    if (!ids) {
      if (this.#cache.size >= cacheLimit) this.#cache.clear();
      ids = this.tokenizer.encode(text);
      this.#cache.set(text, ids);
    }
    return ids;
  }
}

/** Splits a text into its lines, each with its newline; an empty text has no lines. */
export const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** Rounds up to 8, 9, … 16, 18, … 32, 36, …, at most an eighth of padding; finer sizes did not make a training step faster. */
export const bucket = (count: number): number => Math.max(8, roundedSize(count, 8));

/** Numbers different items 0, 1, 2, … in the order of their first occurrence. */
class Numbering<T> {
  readonly items: T[] = [];
  readonly #indices = new Map<T, number>();

  indexOf(item: T): number {
    let index = this.#indices.get(item);
    if (index === undefined) {
      index = this.items.push(item) - 1;
      this.#indices.set(item, index);
    }
    return index;
  }
}

function padded(items: readonly number[], length: number): Int32Array {
  const array = new Int32Array(length);
  array.set(items);
  return array;
}

/** Counts how often each index of a column occurs in each row's list, [rows, columns], as decay^(number of later entries). */
function counts(lists: readonly (readonly number[])[], rows: number, columns: number, decay = 1): Float32Array {
  const matrix = new Float32Array(rows * columns);
  lists.forEach((list, row) =>
    list.forEach((column, i) => (matrix[row * columns + column] += decay ** (list.length - 1 - i))),
  );
  return matrix;
}

/** Counts as `counts` does, divided by √(length of the list), so that n unrelated word vectors sum to the length of one. */
function pooling(lists: readonly (readonly number[])[], rows: number, columns: number): Float32Array {
  const matrix = counts(lists, rows, columns);
  lists.forEach((list, row) => {
    for (const column of new Set(list)) matrix[row * columns + column] /= Math.sqrt(list.length);
  });
  return matrix;
}
