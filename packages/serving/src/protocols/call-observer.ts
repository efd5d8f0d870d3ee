// Defines the interface of observers of model calls, such as a recorder. An observer determines the rollout of a request, can put
// sampled tokens into a prompt, and receives the end of each call before its client does.
import type { IncomingMessage } from 'node:http';
import type { Rng } from '@bowyer/core';
import type { Completed } from '../generation/answer.js';
import type { CompletionRequest } from '../generation/completion-request.js';
import type { PromptWriter } from '../generation/prompt-writer.js';

export interface CallObserver {
  /** The version of the weights for the next sampled tokens. */
  readonly version: number;
  /** Returns the path of a request's route, and the rollout in its address or its headers. */
  placeOf: (request: IncomingMessage, path: string) => { path: string; rollout: string | null };
  /** Returns the rollout of a key; null for a key that the observer has not created. */
  rolloutOfKey: (key: string) => string | null;
  /** Returns the body to answer instead of the one that was sent. */
  bodyOf?: ((rollout: string | null, body: unknown) => unknown) | undefined;
  /** Begins a call; waits while the weights change. @throws where the call cannot be made */
  open: (call: OpenedCall) => Promise<ObservedCall>;
}

export interface OpenedCall {
  rollout: string | null;
  /** The protocol's name in records. */
  protocol: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** Aborted when the client leaves. */
  signal: AbortSignal;
}

/** One observed call. It ends with `completed` or `failed`. */
export interface ObservedCall {
  /** Writes the prompts of chats; absent if the template writes them. */
  prompt?: PromptWriter;
  /** The random numbers for answers to a request without a seed; absent to use the server's. */
  rng?: Rng;
  /** Returns the request to answer; absent to answer the client's request. */
  settled?: (request: CompletionRequest) => CompletionRequest;
  /** Stores the answers before the client sees their end, for which it waits. @param id of the answer */
  completed: (sent: unknown, request: CompletionRequest, completed: Completed, id: string) => Promise<void>;
  /** Records, after `completed`, that the connection broke before the last byte. */
  undelivered: () => void;
  failed: (error: unknown) => void;
}
