// The node `context`: what the text is made of that the policy and the critic read. It has the keys of its kind only.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { nullable, oneOf, toSnakeCase, type ConfigProblem } from '@bowyer/core';
import {
  contextKinds,
  contextProblems,
  defaultOffer,
  environmentInfo,
  keysOfKind,
  type ContextKind,
  type ContextOptions,
} from '@bowyer/envs';
import type { Choices } from '../tasks/task.js';
import type { EnvConfig } from './environment-keys.js';

const part = (what: string) => Type.Boolean({ description: `show ${what}, where the environment offers it` });

const properties = {
  kind: oneOf(
    [...contextKinds],
    'dialogue: everything said so far; window: the last turns; last: the current observation; tutorial: the prompt with # TASK and # STEP; auto: what docs/environments states',
  ),
  history_turns: Type.Integer({ minimum: 0, description: 'earlier turns, with their actions, before the current one' }),
  task_description: part('the task above the turns'),
  step_counter: Type.Boolean({ description: 'show the number of each turn, from 0' }),
  inventory: part('what the agent has with it'),
  valid_actions: part('the actions that are valid now'),
  max_chars: nullable(
    Type.Integer({ minimum: 1 }),
    'longest text in characters: the oldest turns are left out until it fits, never the task or the current turn; null: no limit',
  ),
};

const nodeOf = (keys: readonly string[]) =>
  Type.Object(Object.fromEntries(['kind', ...keys].map((key) => [key, properties[key as keyof typeof properties]])), {
    additionalProperties: false,
    description: 'the text that the policy and the critic read',
  });

/** Of tasks in which an agent plays or learns to. */
export function contextKeys({ setting }: Choices): TProperties {
  const kind = setting('context.kind');
  const isKnown = contextKinds.includes(kind as ContextKind);
  return { context: isKnown ? nodeOf(keysOfKind[kind as ContextKind].map(toSnakeCase)) : contextNode };
}

/** With the keys of every kind. */
export const contextNode: TSchema = nodeOf(Object.keys(properties).slice(1));

/** What the environment cannot give of the context that a config asks for. */
export function contextKeyProblems(config: Record<string, unknown>): ConfigProblem[] {
  const { env, context } = config as { env: EnvConfig; context?: ContextOptions };
  if (context === undefined) return [];
  const { name, ...options } = env;
  return contextProblems(context, name, environmentInfo(name).context?.(options) ?? defaultOffer);
}
