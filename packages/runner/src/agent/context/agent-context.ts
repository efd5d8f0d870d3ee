// Makes the texts that an agent reads in an environment, which may differ from the environment's observations (config node
// `context`). They are made in the same way in play, in demonstrations and in evaluation.
import { withHorizon } from '@bowyer/algorithms';
import { demonstrationOf, type Demonstration, type DemonstrationSet } from '@bowyer/core';
import {
  ContextEnv,
  contextOffer,
  ContextWriter,
  demonstrationId,
  MemoryReader,
  resolveContext,
  withContext,
  type ContextOffer,
  type ContextOptions,
  type Env,
  type Memory,
  type ResolvedContext,
} from '@bowyer/envs';
import { environmentOptions, type EnvironmentConfig } from '../environment/environment.js';

export type ContextConfig = EnvironmentConfig & { context: ContextOptions; play?: { maxTurns?: number | null } };

const offerOf = (config: EnvironmentConfig): ContextOffer => contextOffer(config.env.name, environmentOptions(config));

/** Episodes that are played at the same time need one writer each. */
const writerOf = (config: ContextConfig): ContextWriter =>
  new ContextWriter(config.env.name, config.context, offerOf(config));

/** If the kind is `auto`, it is replaced by the kind that suits the environment. */
export const contextOf = (config: ContextConfig): ResolvedContext => resolveContext(config.context, offerOf(config));

/**
 * Wraps environments so that their observations are the texts that the agent reads; episodes end after `max_turns` turns.
 *
 * @param memory past episodes, from which examples are shown; null: none
 */
export function agentEnvironment<Args extends unknown[]>(
  config: ContextConfig,
  make: (...args: Args) => Env,
  memory: Memory | null,
): (...args: Args) => Env {
  const bounded = withHorizon(make, config.play?.maxTurns ?? null)!;
  return (...args) => new ContextEnv(bounded(...args), writerOf(config), memory && new MemoryReader(memory));
}

/**
 * Returns demonstrations whose observations are the texts that the agent would have read. Demonstrations without a record of the
 * environment's own texts are returned unchanged.
 *
 * @param memory may contain the demonstrations under their numbers; while one is written, it and others of the same item are not
 *   shown as examples
 */
export async function demonstrationsIn(
  config: ContextConfig,
  { records, demonstrations }: DemonstrationSet,
  memory: Memory | null,
): Promise<Demonstration[]> {
  if (records === undefined) return demonstrations;
  const writer = writerOf(config);
  const reader = memory && new MemoryReader(memory);
  const read: Demonstration[] = [];
  for (const [number, record] of records.entries()) {
    const recall = reader ? { memory: reader, id: demonstrationId(number) } : undefined;
    read.push('reset' in record ? demonstrationOf(await withContext(record, writer, recall)) : record);
  }
  return read;
}
