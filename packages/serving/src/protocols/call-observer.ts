// The observer of model calls, which a recorder implements. It knows which rollout a request belongs to, can put sampled tokens
// into a prompt, and gets the end of each call before its client does.
import type { IncomingMessage } from 'node:http';
import type { Rng } from '@bowyer/core';
import type { Completed } from '../generation/answer.js';
import type { CompletionRequest } from '../generation/completion-request.js';
import type { PromptWriter } from '../generation/prompt-writer.js';

export interface CallObserver {
  /** The version of the weights that tokens are sampled with from now on. */
  readonly version: number;
  /** Returns the path of a request's route, and the rollout that its address or its headers name. */
  placeOf: (request: IncomingMessage, path: string) => { path: string; rollout: string | null };
  /** Returns the rollout to which a key belongs; null where the observer has not given out that key. */
  rolloutOfKey: (key: string) => string | null;
  /** Returns the body that is answered in place of the one that was sent. */
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
  /** Writes the prompts of chats; absent: the template does. */
  prompt?: PromptWriter;
  /** The random numbers for answers to a request without a seed; absent: the server's. */
  rng?: Rng;
  /** Returns the request that is answered; absent: as its client has sent it. */
  settled?: (request: CompletionRequest) => CompletionRequest;
  /** Stores the answers, whose end the client has not seen yet; the client waits for it. @param id of the answer */
  completed: (sent: unknown, request: CompletionRequest, completed: Completed, id: string) => Promise<void>;
  /** Notes, after `completed`, that the connection broke before the last byte. */
  undelivered: () => void;
  failed: (error: unknown) => void;
}
