// The options of the memory, which decides what past successes an agent reads beside its own episode.

export const memoryKinds = ['none', 'bm25', 'encoder'] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** The node `memory` of a config, in camelCase. With kind none it has no other key. */
export interface MemoryOptions {
  kind: MemoryKind;
  /** The unit of retrieval: whole episodes at each reset, or single turns at every turn. */
  unit?: MemoryUnit;
  /** The most examples in a prompt. */
  topK?: number;
  /** The most characters of all examples: one that does not fit is left out. */
  maxChars?: number;
  /** The folder of an encoder, or its name on the hub; for the kind `encoder`. */
  encoder?: string | null;
  /** Whether the successful demonstrations are in memory from the start. */
  demonstrations?: boolean;
  /** Whether successful rollouts are added. */
  grow?: boolean;
  /** The most episodes in memory; beyond it, the oldest is removed. */
  capacity?: number;
  /** The smallest return of an episode in memory; null: won episodes, where the environment says so, else those above 0. */
  minReturn?: number | null;
}

type MemoryUnit = 'episode' | 'transition';

/** The options of a memory that is on. */
export type RetrievalOptions = Required<Pick<MemoryOptions, 'unit' | 'topK' | 'maxChars'>>;

/** The keys of retrieval: an agent must be evaluated with the values with which it was trained. */
export const retrievalKeys = ['kind', 'unit', 'topK', 'maxChars', 'encoder'] as const;
