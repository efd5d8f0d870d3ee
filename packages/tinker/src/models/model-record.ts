// Declares the record of a model (LoRA adapter), which a restart needs beside the model's snapshot and requests.
import type { LoraShape } from '../training/trainable.js';

export interface ModelRecord {
  id: string;
  sessionId: string;
  baseModel: string;
  shape: LoraShape;
  userMetadata: Record<string, unknown> | null;
  /** The checkpoint with which the model was created; null if it began with newly initialised adapters. */
  from: { path: string; optimizer: boolean } | null;
  isUnloaded: boolean;
}

/** The limits for the requests of all clients. */
export interface Quotas {
  /** The most models that are loaded at the same time. */
  models: number;
  /** The most bytes of memory that all loaded models take together: adapters, optimizer states and gradients. */
  modelBytes: number;
  maxRank: number;
  /** The most tokens of a forward_backward request, or of a sample including its prompt. */
  requestTokens: number;
  /** The most datums (training sequences) of a forward_backward request. */
  datums: number;
  /** The most bytes of a request's body after decompression. */
  bodyBytes: number;
  /** The most bytes on disk of all checkpoints together. */
  storageBytes: number;
  /** The most bytes on disk of all stored results together. */
  resultBytes: number;
}
