// Records an agent with another endpoint in the place of its model: the start of a supervised training.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { JsonlFile } from '@bowyer/core';
import {
  checkTasks,
  conversationsOf,
  finalRewards,
  ProxyServer,
  REWARD,
  RolloutLog,
  reportVerdict,
  type AgentTask,
  type RecordedRollout,
} from '@bowyer/rollouts';
import { agentFunctions, type AgentFunctions } from './agent-functions.js';

export interface RecordAgentOptions<Task extends AgentTask, Result> extends AgentFunctions<Task, Result> {
  /** Base URL of an endpoint of OpenAI's or Anthropic's protocol, such as `https://api.openai.com/v1`. */
  upstream: string;
  /** The endpoint's key. */
  upstreamKey: string;
  tasks: readonly Task[];
  /** Folder of the record and of `conversations.jsonl`. */
  savePath: string;
  /** Conversations of rollouts with a smaller reward are left out of `conversations.jsonl`; all are kept if not given. */
  minReward?: number;
  /** Agents at the same time; 8 if not given. */
  concurrency?: number;
  signal?: AbortSignal;
}

export interface RecordedAgent {
  rollouts: RecordedRollout[];
  /** Errors of rollouts that have failed, by task. */
  failures: { task: string; error: Error }[];
  /** The data of `npx bowyer --config-name finetune data=FILE`. */
  conversations: string;
}

/**
 * Plays each task once with an endpoint in the place of a model of one's own, and records the rollouts: rewards, messages and tools, without
 * tokens. An agent that fails is reported, and its rollout is in the record, not in `conversations.jsonl`.
 */
export async function recordAgent<Task extends AgentTask, Result>(
  options: RecordAgentOptions<Task, Result>,
): Promise<RecordedAgent> {
  const { upstream, upstreamKey, tasks, savePath, signal = new AbortController().signal } = options;
  checkTasks(tasks, 'tasks');
  const log = await RolloutLog.open(join(savePath, 'rollouts'));
  const server = await ProxyServer.listen({
    upstream,
    upstreamKey,
    host: '127.0.0.1',
    port: 0,
    apiKey: randomUUID(),
    log,
  });
  const recorded: RecordedAgent = { rollouts: [], failures: [], conversations: join(savePath, 'conversations.jsonl') };
  const waiting = [...tasks];
  const lane = async () => {
    for (let task = waiting.shift(); task !== undefined && !signal.aborted; task = waiting.shift())
      await recordTask(task, server, options, signal).then(
        (rollout) => recorded.rollouts.push(rollout),
        (error: Error) => recorded.failures.push({ task: task.id, error }),
      );
  };
  try {
    await Promise.all(Array.from({ length: options.concurrency ?? 8 }, lane));
  } finally {
    await server.close();
    await log.close();
  }
  signal.throwIfAborted();
  await writeConversations(recorded, options.minReward ?? -Infinity);
  return recorded;
}

async function recordTask<Task extends AgentTask, Result>(
  task: Task,
  { rollouts }: ProxyServer,
  options: RecordAgentOptions<Task, Result>,
  signal: AbortSignal,
): Promise<RecordedRollout> {
  const { run, judge } = agentFunctions(options);
  const open = await rollouts.begin({ id: `${task.id}-${randomUUID()}`, task: task.id });
  const played = { name: task.id, task, open };
  try {
    await reportVerdict(rollouts, open.id, await run(played, signal));
    await rollouts.end(open.id);
  } catch (error) {
    await rollouts.end(open.id, { status: 'failed', reason: String(error) });
    throw error;
  }
  if (judge) await reportVerdict(rollouts, open.id, await judge(played, await rollouts.read(open.id), signal));
  return rollouts.read(open.id);
}

async function writeConversations({ rollouts, conversations }: RecordedAgent, minReward: number): Promise<void> {
  const file = await JsonlFile.open(conversations, 0);
  const kept = rollouts.filter(
    (rollout) => minReward === -Infinity || (finalRewards(rollout)[REWARD] ?? -Infinity) >= minReward,
  );
  await file.append(...kept.flatMap(conversationsOf));
}
