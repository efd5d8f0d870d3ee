// Lets an agent play each task once and records the rollouts, without making episodes for training.
import { randomUUID } from 'node:crypto';
import type { AgentTask } from './agent-task.js';
import type { RolloutHost } from './play-rollouts.js';
import { reportVerdict } from './report-verdict.js';
import type { JudgeRollout, RunAgent } from './run-agent.js';
import { Semaphore, type Permit } from './semaphore.js';

export interface RecordTasksOptions {
  tasks: readonly AgentTask[];
  run: RunAgent;
  /** Judges a rollout after its end; null if the agent reports its reward itself or no reward is wanted. */
  judge: JudgeRollout | null;
  /** The number of agents that play at the same time. */
  concurrency: number;
  /** The number of agents beyond `concurrency` that are already started while others play; their calls wait. 0 if not given. */
  startAhead?: number;
  /** When it is aborted, the running agents are ended and the remaining tasks are skipped. */
  signal: AbortSignal;
  onRecorded?(rollout: Awaited<ReturnType<RecordingHost['read']>>): void;
  /** Receives the error of a task's agent or judge. The rollout is recorded as failed. */
  onFailure(task: AgentTask, error: Error): void;
}

type RecordingHost = Omit<RolloutHost, 'learnt'>;

/** Lets the agent play each task once against the model server `host`, which records the rollouts. */
export async function recordTasks(host: RecordingHost, options: RecordTasksOptions): Promise<void> {
  const { tasks, concurrency, startAhead = 0, signal, onRecorded, onFailure } = options;
  const semaphore = new Semaphore(concurrency);
  const waiting = [...tasks.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const [index, task] = next;
      const permit = semaphore.acquire();
      await recordTask(host, { name: `task-${index}`, task, permit }, options)
        .finally(permit.release)
        .then(onRecorded, (error: unknown) =>
          onFailure(task, error instanceof Error ? error : new Error(String(error))),
        );
    }
  };
  await Promise.all(Array.from({ length: concurrency + startAhead }, lane));
}

async function recordTask(
  host: RecordingHost,
  { name, task, permit: { begun } }: { name: string; task: AgentTask; permit: Permit },
  { run, judge, signal }: Pick<RecordTasksOptions, 'run' | 'judge' | 'signal'>,
): ReturnType<RecordingHost['read']> {
  const open = await host.begin({ id: `${task.id}-${randomUUID()}`, task: task.id }, begun);
  const played = { name, task, open, begun };
  try {
    await reportVerdict(host, open.id, await run(played, signal));
    await host.end(open.id, { status: 'ended' });
    const verdict = await judge?.(played, await host.read(open.id), signal);
    if (verdict) await reportVerdict(host, open.id, verdict);
  } catch (error) {
    await host.end(open.id, { status: 'failed', reason: String(error) });
    throw error;
  }
  return host.read(open.id);
}
