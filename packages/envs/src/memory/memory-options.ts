// Defines the options of the memory, which puts past successful episodes into an agent's prompt.

export const memoryKinds = ['none', 'bm25', 'encoder'] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** The node `memory` of a config, in camelCase. With kind `none` it has no other keys. */
export interface MemoryOptions {
  kind: MemoryKind;
  /** The unit of retrieval: whole episodes at each reset, or single turns (`transition`) at every turn. */
  unit?: MemoryUnit;
  topK?: number;
  /** The largest number of characters of all retrieved examples together. Examples that do not fit are left out. */
  maxChars?: number;
  /** The folder of the encoder model, or its name on the Hugging Face hub; only with kind `encoder`. */
  encoder?: string | null;
  /** Whether the memory initially contains the successful episodes of the demonstrations. */
  demonstrations?: boolean;
  grow?: boolean;
  /** The largest number of stored episodes. When it is exceeded, the oldest one is removed. */
  capacity?: number;
  /** The smallest return of a stored episode; null: it was won, or, if `won` is not reported, its return is above 0. */
  minReturn?: number | null;
}

type MemoryUnit = 'episode' | 'transition';

/** The options of retrieval with a value for each. */
export type RetrievalOptions = Required<Pick<MemoryOptions, 'unit' | 'topK' | 'maxChars'>>;

/** The keys that affect which examples an agent reads. They must have the same values in evaluation as in training. */
export const retrievalKeys = ['kind', 'unit', 'topK', 'maxChars', 'encoder'] as const;
