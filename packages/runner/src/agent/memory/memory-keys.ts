// Defines the config node `memory`, which decides which past successful episodes an agent reads as examples. Its schema has only
// the options of its `kind`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { count, nullable, oneOf, toSnakeCase, changeableOnResume, oneProblem, type ConfigProblem } from '@bowyer/core';
import {
  defaultOffer,
  environmentInfo,
  memoryKinds,
  memoryProblems,
  retrievalKeys,
  type ContextOptions,
  type MemoryOptions,
} from '@bowyer/envs';
import { agentFolderOf, memoryFileOf } from '../folders/model-folders.js';
import { splitPlanOf } from '../environment/environment.js';
import type { Choices } from '../keys/choices.js';
import type { EnvConfig } from '../environment/environment-keys.js';

const retrieval = {
  kind: oneOf(
    [...memoryKinds],
    'how the agent finds past successes to read as examples. bm25: by their words; encoder: by the vectors of an encoder; none: the agent has no memory',
  ),
  unit: oneOf(
    ['episode', 'transition'],
    'episode: the examples are whole episodes, chosen at the reset; transition: they are single turns, chosen at every turn',
  ),
  top_k: count('largest number of examples in a prompt'),
  max_chars: count(
    'largest number of characters of the examples in a prompt; an example that does not fit is left out',
  ),
  encoder: nullable(
    Type.String(),
    'folder of an encoder in Hugging Face layout, which must be given; texts are compared by their mean hidden states',
  ),
};

const contents = {
  demonstrations: Type.Boolean({
    description:
      'begin with the successful demonstrations in memory; with policy.model or policy.checkpoint, with the memory of that agent',
  }),
  grow: Type.Boolean({ description: 'add the successful episodes of rollouts, which play the train split' }),
  capacity: count('largest number of episodes in memory, one for each item; the oldest are removed first'),
  min_return: nullable(
    Type.Number({ description: 'in units of the return' }),
    'smallest return of an episode in memory; null: episodes that were won, where the environment says so, else those with a return above 0',
  ),
};

const nodeOf = (properties: TProperties): TSchema =>
  Type.Object(properties, {
    additionalProperties: false,
    description: 'past successes that the agent reads as examples (docs/memory.md)',
  });

/** The schema of the config node `memory` with the options of all kinds. */
export const memoryNode: TSchema = nodeOf({ ...retrieval, ...contents });

/**
 * Returns the options of the config node `memory` for tasks in which an agent plays or learns to play. Only training has the
 * options for the contents of the memory.
 */
export function memoryKeys({ algorithm, setting }: Choices, task: 'train' | 'evaluate'): TProperties {
  const kind = setting('memory.kind') ?? 'none';
  if (kind === 'none') return { memory: changeableOnResume(nodeOf({ kind: retrieval.kind })) };
  const { encoder, ...common } = retrieval;
  const { grow, ...start } = contents;
  const collects = algorithm?.needs.source !== 'dataset';
  return {
    memory: nodeOf({
      ...common,
      ...(kind === 'encoder' && { encoder }),
      ...(task === 'train' && { ...start, ...(collects && { grow }) }),
    }),
  };
}

interface Config {
  task: { name: string };
  env: EnvConfig;
  context: ContextOptions;
  memory?: MemoryOptions;
  policy: { checkpoint: string | null; model: string | null };
  rollout?: { mode: string };
}

/**
 * Reports why a memory cannot work with this config: because of its encoder, its environment, or a missing source of episodes.
 */
export function memoryKeyProblems(config: Record<string, unknown>): ConfigProblem[] {
  const known = config as typeof config & Config;
  const { task, env, context, memory } = known;
  if (memory === undefined || memory.kind === 'none') return [];
  const { name, ...options } = env;
  const offer = environmentInfo(name).context?.(options) ?? defaultOffer;
  const problems = memoryProblems(memory, name, offer, context.kind);
  if (memory.kind === 'encoder' && !existsSync(join(memory.encoder ?? '', 'config.json')))
    problems.push({
      key: 'memory.encoder',
      message: `memory.encoder=${String(memory.encoder)}: a folder with an encoder is needed`,
      remedy: 'give a folder in Hugging Face layout, such as one of sentence-transformers; or write memory=bm25',
    });
  if (task.name === 'train') problems.push(...contentProblems({ ...known, memory }));
  return problems;
}

function contentProblems(config: Config & { memory: MemoryOptions }): ConfigProblem[] {
  const { memory, policy } = config;
  const problem = (key: string, message: string, remedy: string) => oneProblem(`memory.${key}`, message, remedy);
  if (!memory.demonstrations && !memory.grow)
    return problem(
      'demonstrations',
      'memory.demonstrations=false: nothing is added later either, so the memory would stay empty',
      'write memory.demonstrations=true, or memory.grow=true where the algorithm plays episodes; or memory=none',
    );
  const mode = config.rollout?.mode ?? 'synchronous';
  if (memory.grow && mode !== 'synchronous')
    return problem(
      'grow',
      `memory.grow=true: with rollout.mode=${mode} episodes are played while others are added to the memory, so their texts would depend on timing`,
      'write memory.grow=false or rollout.mode=synchronous',
    );
  const plan = splitPlanOf(config);
  if (plan.count('train') === 1)
    return problem(
      'kind',
      `memory.kind=${memory.kind}: the train split has only one of the ${plan.noun}, and an episode never gets an example of its own item`,
      'let the environment play several, or write memory=none',
    );
  const given = policy.checkpoint ?? policy.model;
  if (
    memory.demonstrations &&
    given !== null &&
    !('demonstrations' in config) &&
    memoryFileOf(agentFolderOf(given)) === null
  )
    return problem(
      'demonstrations',
      `memory.demonstrations=true: the agent in ${given} has no memory to begin with`,
      'write memory.demonstrations=false memory.grow=true, or give an agent that was trained with a memory',
    );
  return [];
}

/**
 * Reports options that differ from those of the training: an agent that has learned to read examples plays differently without
 * them, or with others.
 */
export function memoryChanged(
  folder: string,
  trained: MemoryOptions = { kind: 'none' },
  now: MemoryOptions = { kind: 'none' },
): ConfigProblem[] {
  const differing = retrievalKeys.filter((key) => (trained[key] ?? null) !== (now[key] ?? null));
  if (differing.length === 0) return [];
  const given = (memory: MemoryOptions) =>
    differing
      .filter((key) => memory[key] !== undefined)
      .map((key) => `memory.${toSnakeCase(key)}=${String(memory[key])}`)
      .join(' ');
  return oneProblem(
    'memory.kind',
    `the agent in ${folder} was trained with another memory: ${given(trained)}; now ${given(now)}`,
    `write memory=${trained.kind}${trained.kind === 'none' ? '' : ' with the keys of that run'}`,
  );
}
