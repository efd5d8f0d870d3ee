// Defines the interface for observers of model calls, such as the recorder of rollouts. An observer finds the rollout to which a
// request belongs, can put tokens that were sampled earlier into a prompt instead of encoding their text again, and receives the
// complete answer before the client does.
import type { IncomingMessage } from 'node:http';
import type { Rng } from '@bowyer/core';
import type { Completed } from '../generation/answer.js';
import type { CompletionRequest } from '../generation/completion-request.js';
import type { PromptWriter } from '../generation/prompt-writer.js';

export interface CallObserver {
  /** The current version of the model's weights, with which the next tokens are sampled. */
  readonly version: number;
  /** Returns a request's path without the rollout, and the name of the rollout in its path or headers. */
  placeOf: (request: IncomingMessage, path: string) => { path: string; rollout: string | null };
  /** Returns the rollout for which an API key was created; null for a key that the observer has not created. */
  rolloutOfKey: (key: string) => string | null;
  /** Returns the body that is answered in place of the client's body, for instance with other settings. */
  bodyOf?: ((rollout: string | null, body: unknown) => unknown) | undefined;
  /** Begins to observe a call; waits while the model's weights change. @throws if the call is not allowed */
  open: (call: OpenedCall) => Promise<ObservedCall>;
}

export interface OpenedCall {
  rollout: string | null;
  /** The name of the API protocol, which records of the call contain. */
  protocol: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/** The record of one observed call. It is closed by `completed` or `failed`. */
export interface ObservedCall {
  /** Writes the prompts of chats; absent if the chat template writes them. */
  prompt?: PromptWriter;
  /** The generator of random numbers for a request without a seed; absent to use the server's. */
  rng?: Rng;
  /** Returns the request that is answered in place of the client's; absent to answer the client's request unchanged. */
  settled?: (request: CompletionRequest) => CompletionRequest;
  /** Stores the answers. The client sees their end only after this. @param id of the answer in the protocol */
  completed: (sent: unknown, request: CompletionRequest, completed: Completed, id: string) => Promise<void>;
  /** Notes, after `completed`, that the connection broke before the client had received the whole answer. */
  undelivered: () => void;
  failed: (error: unknown) => void;
}
