// Declares the record of a model, which a restart needs besides its snapshot and its requests.
import type { LoraShape } from '../training/trainable.js';

export interface ModelRecord {
  id: string;
  sessionId: string;
  baseModel: string;
  shape: LoraShape;
  userMetadata: Record<string, unknown> | null;
  /** The initial checkpoint; null for fresh adapters. */
  from: { path: string; optimizer: boolean } | null;
  isUnloaded: boolean;
}

/** Limits of clients' requests. */
export interface Quotas {
  /** The largest number of loaded models. */
  models: number;
  /** The most bytes of memory of all loaded models: adapters, optimizer states, gradients. */
  modelBytes: number;
  maxRank: number;
  /** The most tokens of a forward_backward, or of a sample with its prompt. */
  requestTokens: number;
  /** The most datums of a forward_backward. */
  datums: number;
  /** The most bytes of a body after decompression. */
  bodyBytes: number;
  /** The most bytes of all checkpoints. */
  storageBytes: number;
  /** The most bytes of stored results. */
  resultBytes: number;
}
