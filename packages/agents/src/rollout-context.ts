// Finds the rollout that the running code is part of (by AsyncLocalStorage), even if many rollouts run at the same time in this
// process.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AgentTask, RolloutAddress } from '@bowyer/rollouts';

/** The second argument of the agent function `run`: the address and the key of the model's server for one rollout. */
export interface AgentContext {
  /** The base URL of the model's server for OpenAI's protocols, which ends with the version (`/v1`): the `baseURL` of an SDK. */
  baseURL: string;
  /** The base URL of the model's server for Anthropic's protocol, without the version. */
  anthropicBaseURL: string;
  apiKey: string;
  /** A `fetch` that sends requests to any address to this rollout's model, for SDKs whose base URL cannot be changed. */
  fetch: typeof fetch;
  rollout: CurrentRollout;
  /** Is aborted when the rollout's timeout is over, and when the run is stopped. */
  signal: AbortSignal;
}

export interface CurrentRollout {
  /** The name of the rollout, such as `rollout-12.1`. It is the same in every run with the same seed. */
  readonly name: string;
  readonly task: AgentTask;
  /** The URL of the rollout at the model's server, to which rewards, metrics and requests of the model are sent. */
  readonly url: string;
  /**
   * Sends a reward of the rollout or of one of its calls. If a name is repeated, the last value counts. Names other than 'reward'
   * are components, which are only reported.
   */
  reward(value: number, options?: { name?: string; call?: number; key?: string }): Promise<void>;
  /** Sends metrics that are reported with the rollout. */
  metrics(figures: Readonly<Record<string, number>>): Promise<void>;
}

const storage = new AsyncLocalStorage<AgentContext>();

/** Returns the context of the current rollout; null outside of a rollout. */
export const currentRollout = (): AgentContext | null => storage.getStore() ?? null;

/**
 * Sends a request to the model of the current rollout, or to the request's own address if it is made outside of a rollout. Thus
 * one client of an SDK can be used in all rollouts.
 */
export const rolloutFetch: typeof fetch = (input, init) => (currentRollout()?.fetch ?? fetch)(input, init);

/** For the context of each running rollout, the function that fails the rollout. */
const failures = new Map<AgentContext, (error: unknown) => void>();

/**
 * Fails the rollout in which a promise was rejected without a handler, as happens with a framework that throws within a stream;
 * otherwise Node would end the process. Rejections outside of rollouts have the effect that they have without this listener.
 */
function onRejection(error: unknown): void {
  const context = currentRollout();
  const fail = context && failures.get(context);
  if (fail) fail(error);
  else if (context !== null) process.emitWarning(error instanceof Error ? error : String(error)); // The rollout has ended.
  else if (process.listenerCount('unhandledRejection') === 1) throw error;
}

/** Runs an agent in the context of a rollout. A promise that is rejected in it without a handler fails the rollout. */
export async function inRollout<Result>(
  { name, task, open }: { name: string; task: AgentTask; open: RolloutAddress },
  signal: AbortSignal,
  run: (context: AgentContext) => Promise<Result>,
): Promise<Result> {
  const send = (what: string, body: object) => post(open, what, body, signal);
  const context: AgentContext = {
    baseURL: open.baseURL,
    anthropicBaseURL: open.anthropicBaseURL,
    apiKey: open.apiKey,
    fetch: fetchOf(open, signal),
    rollout: {
      name,
      task,
      url: open.url,
      reward: (value, options) => send('rewards', { value, ...options }),
      metrics: (figures) => send('metrics', figures),
    },
    signal,
  };
  if (failures.size === 0) process.on('unhandledRejection', onRejection);
  const failed = new Promise<never>((_, reject) => failures.set(context, reject));
  try {
    return await Promise.race([storage.run(context, () => run(context)), failed]);
  } finally {
    failures.delete(context);
    if (failures.size === 0) process.off('unhandledRejection', onRejection);
  }
}

/**
 * Returns a `fetch` that sends any request to the rollout's model: it replaces everything before the version in a path such as
 * `/v1/chat/completions` by the rollout's address, and the API key by the rollout's key.
 */
const fetchOf =
  ({ url, apiKey }: RolloutAddress, signal: AbortSignal): typeof fetch =>
  (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const path = pathname.slice(Math.max(0, pathname.indexOf('/v1/')));
    const headers = new Headers(request.headers);
    if (headers.has('x-api-key')) headers.set('x-api-key', apiKey);
    else headers.set('authorization', `Bearer ${apiKey}`);
    const ended = AbortSignal.any([request.signal, signal]);
    return fetch(new Request(`${url}${path}${search}`, new Request(request, { headers, signal: ended })));
  };

async function post({ url, apiKey }: RolloutAddress, what: string, body: object, signal: AbortSignal): Promise<void> {
  const address = `${url}/${what}`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(`POST ${address}: status ${response.status}: ${await response.text()}`);
}
