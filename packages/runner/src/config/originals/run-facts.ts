// Reads from a composed config the facts on which the translation of another program's keys depends.
import { existsSync } from 'node:fs';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Composition } from '@bowyer/config';
import { isConversationFile } from '@bowyer/conversations';
import { loadPlugins } from '../../plugins/plugins.js';
import { choicesOf, schemaOf } from '../units.js';
import type { RunFacts } from './outcome.js';

/**
 * @param composition of the run's config, with its implied keys
 * @param typed the keys that were given on the command line
 */
export async function factsOf(composition: Composition, typed: ReadonlySet<string>): Promise<RunFacts> {
  const { runOf } = await import('../../run/recorded-config.js');
  await loadPlugins(composition);
  const schema = schemaOf(composition);
  const { algorithm, env, setting } = choicesOf(composition);
  const backend = setting('env.backend');
  return {
    task: String(setting('task.name')),
    algorithm: algorithm?.name ?? null,
    env,
    isOnDataset: algorithm?.needs.source === 'dataset',
    isRemote: backend === undefined ? setting('env.base_url') !== undefined : backend !== 'embedded',
    isEndpoint: setting('policy.endpoint') !== undefined,
    reads: (path) => hasPath(schema, composition.pathOf(path)),
    hasConversations: (path) => isConversationFile(path),
    epochOf: (path) => {
      const [, run, epoch] = /^(.+?)\/+train_epoch_(\d+)\/*$/s.exec(path) ?? [];
      const epochs = run === undefined || existsSync(path) ? undefined : runOf(run)?.algorithm?.epochs;
      return epochs === undefined ? null : { run, epoch: Number(epoch), epochs };
    },
    isGiven: (key) => typed.has(key) || typed.has(composition.pathOf(key)),
  };
}

/** Returns whether a schema has an option with this path, such as `lora.r`. */
export function hasPath(schema: TSchema, path: string): boolean {
  let at: TSchema | undefined = schema;
  for (const key of path.split('.'))
    at = (at as Partial<TObject> | undefined)?.properties?.[key] as TSchema | undefined;
  return at !== undefined;
}
