// The options of the memory, which decides what past successes an agent reads beside its own episode.

export const memoryKinds = ['none', 'bm25', 'encoder'] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** The node `memory` of a config, in camelCase. With kind none it has no other key. */
export interface MemoryOptions {
  kind: MemoryKind;
  /** The unit of retrieval: whole episodes at each reset, or single turns at every turn. */
  unit?: MemoryUnit;
  /** Most of them in a prompt. */
  topK?: number;
  /** Most characters that they have together: one that does not fit is left out. */
  maxChars?: number;
  /** Folder of an encoder, or its place on the hub; of kind encoder. */
  encoder?: string | null;
  /** Whether the successful demonstrations are in memory from the start. */
  demonstrations?: boolean;
  /** Whether successful rollouts are added. */
  grow?: boolean;
  /** Most episodes in memory: the oldest goes first. */
  capacity?: number;
  /** Smallest return of an episode in memory; null: won, where the environment says so, else above 0. */
  minReturn?: number | null;
}

type MemoryUnit = 'episode' | 'transition';

/** A memory that is on, with what retrieval needs. */
export type RetrievalOptions = Required<Pick<MemoryOptions, 'unit' | 'topK' | 'maxChars'>>;

/** The keys of retrieval: an agent must be evaluated with the values with which it was trained. */
export const retrievalKeys = ['kind', 'unit', 'topK', 'maxChars', 'encoder'] as const;
