// Recorded episodes as an agent would have read them.
import type { EpisodeRecord } from '@bowyer/core';
import type { ContextWriter } from './context-writer.js';

/** The record with the texts that the agent reads in place of the environment's own observations. */
export function withContext({ reset, steps }: EpisodeRecord, writer: ContextWriter): EpisodeRecord {
  return {
    reset: { ...reset, observation: writer.begin(reset.observation, reset.info ?? {}) },
    steps: steps.map((step) => ({
      ...step,
      observation: writer.follow(step.action, step.observation, step.info ?? {}),
    })),
  };
}
