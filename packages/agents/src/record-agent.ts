// Records the rollouts of an agent as data for supervised training. The agent's requests are answered by a model on this machine,
// by an endpoint, or from an earlier recording.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  Cassette,
  checkTasks,
  ProxyServer,
  readRollouts,
  recordTasks,
  RolloutLog,
  writeConversations,
  type AgentTask,
  type RecordedRollout,
} from '@bowyer/rollouts';
import { agentFunctions, type AgentFunctions } from './agent-functions.js';
import { evaluateAgent } from './evaluate-agent.js';
import type { AgentContext } from './rollout-context.js';
import { UserError } from './user-error.js';

/**
 * An endpoint with OpenAI's or Anthropic's protocol that answers the agent's requests. Its answers are recorded as text, without
 * token ids.
 */
export interface RecordedUpstream {
  /** The base URL, such as `https://api.openai.com/v1`. */
  upstream: string;
  /** The API key; absent: none is sent. */
  upstreamKey?: string;
  model?: undefined;
  settings?: undefined;
  replay?: undefined;
}

/**
 * An earlier recording that answers the agent's requests instead of an endpoint: a recorded request gets its recorded answer, and
 * any other request fails with an error that shows the difference.
 */
export interface RecordedReplay {
  /** The `savePath` of the earlier recording, which was made with an endpoint. */
  replay: string;
  model?: undefined;
  settings?: undefined;
  upstream?: undefined;
  upstreamKey?: undefined;
}

/**
 * A model on this machine that answers the agent's requests. The answers are recorded with their token ids, and each rollout
 * needs a reward.
 */
export interface RecordedModel {
  /** The model: a folder in Hugging Face's format, the folder of a run, or a model of the Hugging Face hub (OWNER/NAME). */
  model: string;
  /** Other keys of the config `evaluate_agent`, in camelCase; see docs/configs.md. */
  settings?: Readonly<Record<string, unknown>>;
  upstream?: undefined;
  replay?: undefined;
}

export type RecordAgentOptions<Task extends AgentTask, Result> = RecordedAgentOptions<Task, Result> &
  (RecordedUpstream | RecordedModel | RecordedReplay);

interface RecordedAgentOptions<Task extends AgentTask, Result> extends AgentFunctions<Task, Result> {
  tasks: readonly Task[];
  /** The folder to which the recording and `conversations.jsonl` are written. */
  savePath: string;
  /** Conversations of rollouts with a smaller reward are left out of `conversations.jsonl`. Default: all are kept. */
  minReward?: number;
  /** The number of simultaneous rollouts. Default: 8. */
  concurrency?: number;
  signal?: AbortSignal;
}

export interface RecordedAgent {
  rollouts: RecordedRollout[];
  /** The rollouts that failed: the id of the task, and the error. */
  failures: { task: string; error: Error }[];
  /**
   * The distinct reasons why recorded calls were left out of `conversations.jsonl`: their requests contain something unsupported,
   * such as an image.
   */
  unread: string[];
  /** The path of `conversations.jsonl`, for `npx bowyer --config-name finetune task.data=FILE`. */
  conversations: string;
}

/**
 * Plays each task once and records the rollouts: rewards, messages, tools and, with a model on this machine, token ids. A rollout
 * whose agent throws an error is listed in `failures`; it is in the recording, but not in `conversations.jsonl`.
 */
export async function recordAgent<Task extends AgentTask, Result>(
  options: RecordAgentOptions<Task, Result>,
): Promise<RecordedAgent> {
  const { tasks, savePath, minReward = null } = options;
  checkTasks(tasks, 'tasks');
  const conversations = join(savePath, 'conversations.jsonl');
  const recorded: RecordedAgent = { rollouts: [], failures: [], unread: [], conversations };
  if (options.model !== undefined) await recordModel(options, recorded);
  else await recordUpstream(options, recorded);
  options.signal?.throwIfAborted();
  const { unread } = await writeConversations(conversations, recorded.rollouts, minReward);
  return { ...recorded, unread };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Plays all tasks with a model on this machine through the runner's task `evaluate_agent`, and records the rollouts. */
async function recordModel<Task extends AgentTask, Result>(
  options: RecordedAgentOptions<Task, Result> & RecordedModel,
  recorded: RecordedAgent,
): Promise<void> {
  const { settings, model, tasks, savePath, reward, concurrency = CONCURRENCY, signal } = options;
  const played = new Map<string, { hasFailed: boolean }>();
  const run = async (task: Task, context: AgentContext): Promise<Result> => {
    const rollout = { hasFailed: true };
    played.set(decodeURIComponent(context.rollout.url.split('/').at(-1)!), rollout);
    try {
      const result = await options.run(task, context);
      rollout.hasFailed = false;
      return result;
    } catch (error) {
      recorded.failures.push({ task: task.id, error: asError(error) });
      throw error;
    }
  };
  const once = { evalShare: 0, testShare: 0, samples: 1, attempts: 1, maxFailureShare: 1 };
  await evaluateAgent({ ...settings, ...once, model, tasks, run, reward, concurrency, signal, savePath });
  for await (const rollout of readRollouts(join(savePath, 'calls')))
    if (played.get(rollout.id)?.hasFailed === false) recorded.rollouts.push(rollout);
}

async function recordUpstream<Task extends AgentTask, Result>(
  options: RecordedAgentOptions<Task, Result> & (RecordedUpstream | RecordedReplay),
  recorded: RecordedAgent,
): Promise<void> {
  const { upstreamKey, replay, tasks, savePath, signal = new AbortController().signal } = options;
  const { run, judge = null } = agentFunctions(options);
  const cassette = replay === undefined ? undefined : await Cassette.read(replay);
  const log = await RolloutLog.open(join(savePath, 'rollouts'));
  const server = await ProxyServer.listen({
    upstream: options.upstream ?? replay!,
    upstreamKey: upstreamKey ?? null,
    cassette,
    host: '127.0.0.1',
    port: 0,
    apiKey: randomUUID(),
    log,
  });
  try {
    await recordTasks(server.rollouts, {
      tasks,
      run,
      judge,
      concurrency: options.concurrency ?? CONCURRENCY,
      signal,
      onRecorded: (rollout) => recorded.rollouts.push(rollout),
      onFailure: ({ id: task }, error) =>
        recorded.failures.push({ task, error: error instanceof UserError ? asError(error.cause) : error }),
    });
  } finally {
    await server.close();
    await log.close();
  }
}

const CONCURRENCY = 8;
