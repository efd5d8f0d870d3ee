// The observer of the calls of the model, for whoever records them: it knows which rollout a request belongs to, may keep what was sampled
// before in a prompt, and hears how each call ends before its client does.
import type { IncomingMessage } from 'node:http';
import type { Rng } from '@bowyer/core';
import type { Completed } from '../generation/answer.js';
import type { CompletionRequest } from '../generation/completion-request.js';
import type { PromptWriter } from '../generation/prompt-writer.js';

export interface CallObserver {
  /** The version of the weights that tokens are sampled with from now on. */
  readonly version: number;
  /** The path of a request's route, and the rollout on which it acts, which its address or its headers name. */
  placeOf: (request: IncomingMessage, path: string) => { path: string; rollout: string | null };
  /** The rollout whose key this is; null where it has not given out that key. */
  rolloutOfKey: (key: string) => string | null;
  /** The body that is answered in the place of the one that came. */
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
  /** Given when the client leaves. */
  signal: AbortSignal;
}

/** One call. It ends with `completed` or `failed`. */
export interface ObservedCall {
  /** Writes the prompts of chats. */
  prompt: PromptWriter;
  /** The random numbers of answers to a request without a seed. */
  rng: Rng;
  /** The request as it is answered; as its client has sent it, if not given. */
  settled?: (request: CompletionRequest) => CompletionRequest;
  /** All answers are there, and their client has not seen their end: waits until they are kept. */
  completed: (sent: unknown, request: CompletionRequest, completed: Completed) => Promise<void>;
  /** After `completed`: the connection broke before the last byte. */
  undelivered: () => void;
  failed: (error: unknown) => void;
}
