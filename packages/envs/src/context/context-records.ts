// Converts recorded episodes to the text that an agent would have read.
import type { EpisodeRecord } from '@bowyer/core';
import type { MemoryReader } from '../memory/memory-reader.js';
import type { ContextWriter } from './context-writer.js';

/**
 * Returns the record with the texts that the agent reads in place of the environment's own observations.
 *
 * @param recall what the agent's memory gives it, and the id under which the episode itself may be in it
 */
export async function withContext(
  { reset, steps }: EpisodeRecord,
  writer: ContextWriter,
  recall?: { memory: MemoryReader; id: string },
): Promise<EpisodeRecord> {
  const { memory, id } = recall ?? {};
  const shown = await memory?.begin(reset.observation, reset.info ?? {}, id);
  const read: EpisodeRecord = {
    reset: { ...reset, observation: writer.begin(reset.observation, reset.info ?? {}, shown?.text) },
    steps: [],
  };
  for (const [i, step] of steps.entries()) {
    // The agent does not read the observation after its last action.
    const next = i < steps.length - 1 ? await memory?.follow(step.observation) : undefined;
    const observation = writer.follow(step.action, step.observation, step.info ?? {}, next?.text);
    read.steps.push({ ...step, observation });
  }
  return read;
}
