// Plays rollouts of a user's agent for an evaluation, outside of a training.
import { play, type OnFailure, type PlayContext, type PlayedSet, type GroupOptions } from '@bowyer/algorithms';
import type { Trajectory } from '@bowyer/core';
import type { AgentConfig, NodePart } from '../../agent/keys/agent-keys.js';
import type { TaskContext } from '../../context/task-context.js';
import { failureLog } from '../../run/failure-log.js';
import { playHooks } from '../../run/play-hooks.js';
import type { OpenRolloutSource } from '../train/rollout-source.js';
import type { AgentOptions } from './agent-keys.js';

type AgentPlayConfig = { task: Pick<AgentOptions, 'concurrency' | 'maxNewTokens'> } & Pick<AgentConfig, 'seed'> &
  NodePart<'play', 'maxFailureShare'>;

interface AgentPlayOptions {
  /** Default: false. */
  greedy?: boolean;
  /** Receives errors. If it is given, `max_failure_share` also limits failures that count with the reward `failed_reward`. */
  failures?: Error[];
  progress?: PlayContext['hooks']['progress'];
}

/**
 * @returns the episodes of the rollouts that did not fail
 * @throws where more than `max_failure_share` of the rollouts failed; `InterruptedError` once the signal is aborted
 */
export function playAgents(
  { parts }: OpenRolloutSource,
  { seed, play: { maxFailureShare }, task: { concurrency, maxNewTokens } }: AgentPlayConfig,
  { log, signal }: Pick<TaskContext, 'log' | 'signal'>,
  set: PlayedSet & GroupOptions,
  { greedy = false, failures, progress = () => undefined }: AgentPlayOptions = {},
): Promise<Trajectory[]> {
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy, maxNewTokens, terminatorIds: [] };
  const { onFailure, onSetEnd } = failureLog(log);
  const noted: OnFailure = (error, ...place) => {
    failures?.push(error);
    onFailure(error, ...place);
  };
  return play(
    {
      ...parts,
      hooks: playHooks({ signal }, progress),
      givesUp: true,
      onFailure: noted,
      onSetEnd,
      limitsCounted: failures !== undefined,
    },
    () => Promise.reject(new Error('an agent of the user plays')),
    { seed, slots: concurrency, maxFailureShare, sampling },
    set,
  );
}
