// Makes the texts that an agent reads in an environment: the same in play, in demonstrations and in evaluation.
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

/** Makes the writer of one episode's contexts; episodes that run at the same time need one each. */
const writerOf = (config: ContextConfig): ContextWriter =>
  new ContextWriter(config.env.name, config.context, offerOf(config));

/** Returns the config's context, with `auto` replaced by a kind. */
export const contextOf = (config: ContextConfig): ResolvedContext => resolveContext(config.context, offerOf(config));

/**
 * Wraps environments so that their observations are the texts that the agent reads, cut after `max_turns`.
 *
 * @param memory of the agent; null: none
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
 * Returns a set's demonstrations with the contexts that the agent would have read. Demonstrations that are not records have their
 * final texts already.
 *
 * @param memory may contain the demonstrations under their numbers; each is hidden from itself and from others of its item
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
