// Defines the options of the memory, which puts past successful episodes into an agent's prompt.

export const memoryKinds = ['none', 'bm25', 'encoder'] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** The node `memory` of a config, in camelCase. With kind none it has no other keys. */
export interface MemoryOptions {
  kind: MemoryKind;
  /** The unit of retrieval: whole episodes at each reset, or single turns at every turn. */
  unit?: MemoryUnit;
  topK?: number;
  /** The largest number of characters of all examples together. Examples that do not fit are left out. */
  maxChars?: number;
  /** The folder of the encoder, or its name on the hub; only with kind encoder. */
  encoder?: string | null;
  /** Whether the memory begins with the successful demonstrations. */
  demonstrations?: boolean;
  grow?: boolean;
  /** The largest number of episodes in memory. When it is exceeded, the oldest is removed. */
  capacity?: number;
  /** The smallest return of an episode in memory; null: won episodes, or, if the environment reports none, returns above 0. */
  minReturn?: number | null;
}

type MemoryUnit = 'episode' | 'transition';

/** The options of retrieval, all given. */
export type RetrievalOptions = Required<Pick<MemoryOptions, 'unit' | 'topK' | 'maxChars'>>;

/** The keys that affect retrieval. They must have the same values in evaluation as in training. */
export const retrievalKeys = ['kind', 'unit', 'topK', 'maxChars', 'encoder'] as const;
