// What an agent reads of the environment that a config names: the same text in play, in demonstrations and in evaluation.
import { demonstrationOf, type Demonstration, type DemonstrationSet } from '@bowyer/core';
import {
  ContextEnv,
  ContextWriter,
  defaultOffer,
  environmentInfo,
  resolveContext,
  withContext,
  type ContextOffer,
  type ContextOptions,
  type Env,
  type ResolvedContext,
} from '@bowyer/envs';
import { environmentOptions, type EnvironmentConfig } from './environment.js';

export type ContextConfig = EnvironmentConfig & { context: ContextOptions };

const offerOf = (config: EnvironmentConfig): ContextOffer =>
  environmentInfo(config.env.name).context?.(environmentOptions(config)) ?? defaultOffer;

/** Each episode at a time has a writer of its own. */
const writerOf = (config: ContextConfig): ContextWriter =>
  new ContextWriter(config.env.name, config.context, offerOf(config));

/** The context with `auto` settled. */
export const contextOf = (config: ContextConfig): ResolvedContext => resolveContext(config.context, offerOf(config));

/** A maker of environments whose observations are what the agent reads. */
export const agentEnvironment =
  <Args extends unknown[]>(config: ContextConfig, make: (...args: Args) => Env): ((...args: Args) => Env) =>
  (...args) =>
    new ContextEnv(make(...args), writerOf(config));

/** The demonstrations of a set as the agent would have read them; those that are not records are such texts already. */
export function demonstrationsIn(
  config: ContextConfig,
  { records, demonstrations }: DemonstrationSet,
): Demonstration[] {
  if (records === undefined) return demonstrations;
  const writer = writerOf(config);
  return records.map((record) => ('reset' in record ? demonstrationOf(withContext(record, writer)) : record));
}
