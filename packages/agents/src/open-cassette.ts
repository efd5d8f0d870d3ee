// Replays what an agent was answered, for tests without a model.
import { ReplayServer } from '@bowyer/rollouts';
import type { AgentContext } from './rollout-context.js';

export interface CassetteOptions {
  /** Members of requests that may differ from the recorded ones, such as `user` or `metadata`. */
  ignore?: readonly string[];
}

/** The addresses at which recorded answers are replayed. */
export interface OpenCassette extends Pick<AgentContext, 'baseURL' | 'anthropicBaseURL' | 'apiKey'>, AsyncDisposable {
  /** The number of recorded answers that were not replayed yet: 0 behind a test in which the agent asked for all. */
  readonly left: number;
  close: () => Promise<void>;
}

/**
 * Replays the record of `recordAgent` with an `upstream`: a request that was recorded gets its answer, streamed where it was, and another
 * one an error with status 400 that says in which messages it differs. A request that was recorded several times gets its answers in turn.
 *
 * @param folder the `savePath` of the recording, whose `conversations.jsonl` is data for training as well
 */
export async function openCassette(folder: string, { ignore }: CassetteOptions = {}): Promise<OpenCassette> {
  const server = await ReplayServer.listen({ folder, host: '127.0.0.1', port: 0, apiKey: null, ignore });
  const close = () => server.close();
  return {
    baseURL: `${server.origin}/v1`,
    anthropicBaseURL: server.origin,
    apiKey: 'replayed',
    get left() {
      return server.left;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
