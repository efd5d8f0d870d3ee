// Replays an LLM's recorded answers to an agent's requests, so that the agent can be tested without a model.
import { ReplayServer } from '@bowyer/rollouts';
import type { AgentContext } from './rollout-context.js';

export interface CassetteOptions {
  /** Fields of a request that are not compared with the recorded request, such as `user` or `metadata`. */
  ignore?: readonly string[];
}

/** The addresses of a server that replays recorded answers, and the number of answers that are left. */
export interface OpenCassette extends Pick<AgentContext, 'baseURL' | 'anthropicBaseURL' | 'apiKey'>, AsyncDisposable {
  /** The number of recorded answers that were not replayed yet. It is 0 after a test in which the agent requested all of them. */
  readonly left: number;
  close: () => Promise<void>;
}

/**
 * Replays a recording that `recordAgent` made with an `upstream`. A request that was recorded gets its recorded answer, streamed
 * if it was streamed; a request that was recorded several times gets its answers in turn. Any other request gets an error with
 * status 400 that shows which messages differ.
 *
 * @param folder the `savePath` of the recording, whose `conversations.jsonl` can be used for training too
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
