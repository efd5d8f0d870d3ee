// The facts about a model that a restart needs besides its snapshot and its requests.
import type { LoraShape } from '../training/trainable.js';

export interface ModelRecord {
  id: string;
  sessionId: string;
  baseModel: string;
  shape: LoraShape;
  userMetadata: Record<string, unknown> | null;
  /** The checkpoint from which it started; null: it started with fresh adapters. */
  from: { path: string; optimizer: boolean } | null;
  isUnloaded: boolean;
}

/** Limits of what clients can ask for. */
export interface Quotas {
  /** Models that are loaded at the same time. */
  models: number;
  /** Bytes of memory of all loaded models: adapters, optimizer states, gradients. */
  modelBytes: number;
  maxRank: number;
  /** Tokens of one forward_backward, or of one sample with its prompt. */
  requestTokens: number;
  /** Data of one forward_backward. */
  datums: number;
  /** Bytes of a body, after its decompression. */
  bodyBytes: number;
  /** Bytes of all checkpoints. */
  storageBytes: number;
  /** Bytes of the results that are kept for clients. */
  resultBytes: number;
}
