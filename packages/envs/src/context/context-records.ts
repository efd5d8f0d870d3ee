// Converts recorded episodes to the texts that an agent would have read in them, for training on demonstrations.
import type { EpisodeRecord } from '@bowyer/core';
import type { MemoryReader } from '../memory/memory-reader.js';
import type { ContextWriter } from './context-writer.js';

/**
 * Replaces the environment's observations in a record by the texts that the agent reads.
 * @param recall the memory that provides examples, and the id of this episode, which is never an example of itself
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
    // No action follows the last observation, so that no examples are retrieved for it.
    const next = i < steps.length - 1 ? await memory?.follow(step.observation) : undefined;
    const observation = writer.follow(step.action, step.observation, step.info ?? {}, next?.text);
    read.steps.push({ ...step, observation });
  }
  return read;
}
