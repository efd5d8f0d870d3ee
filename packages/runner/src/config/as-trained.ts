// Implements the option `as_trained` of an evaluation: the keys that decide how the agent reads and acts are taken from the
// config of the run that trained the agent. They are the environment and the algorithm with their options, the context, the
// memory, the chat template and the longest reply. Keys on the command line take precedence.
import { snakeKeys, toCamelCase, toSnakeCase, isRecord } from '@bowyer/core';
import { overrideText } from '@bowyer/config';
import type { ContextConfig } from '../agent/context/agent-context.js';
import type { RecordedConfig } from '../run/recorded-config.js';
import type { Implied, ImpliedContext, Reader, Rule } from './implied-rule.js';

type Node = Readonly<Record<string, unknown>>;

/**
 * The options, besides those of whole nodes, that are taken from the training run. Options of the evaluation itself, such as the
 * number of episodes, are not.
 */
const KEYS = [
  'play.as_chat',
  'chat.template',
  'chat.template_kwargs',
  'play.action_choice',
  'policy.quantization',
  'sampling.max_new_tokens',
  'sampling.eos_str',
  'sampling.temperature',
  'sampling.top_k',
  'sampling.top_p',
  'algorithm.num_candidates',
];

/** The config nodes whose `kind` corresponds to an option of a config group, such as `context=window`. */
const KINDS = ['context', 'memory', 'critic'] as const;

interface Trained {
  place: string;
  record: RecordedConfig;
  env: Node;
  /** Whether the agent learned from conversations of a file: its training run used the environment for evaluations only. */
  isAnywhere: boolean;
}

/**
 * Reads the config of the run that trained the evaluated agent, with the options of the environment to play. Returns null where
 * there is no such run, or where the command line names an environment in which the agent was not trained.
 */
async function trained(read: Reader, { isTyped }: ImpliedContext): Promise<Trained | null> {
  const place = read('policy.checkpoint') ?? read('policy.model');
  if (typeof place !== 'string') return null;
  const { agentFolderOf } = await import('../agent/folders/model-folders.js');
  const { learnedConversations, runOf } = await import('../run/recorded-config.js');
  const run = runOf(agentFolderOf(place));
  if (run?.env === undefined) return null;
  const env = run.env as Node;
  const name = read('env.name');
  // An agent that learned from conversations can play in any environment through the same chat template.
  const isAnywhere = learnedConversations(run);
  const played = isTyped('env') ? (memberOf(env, name) ?? (isAnywhere ? { name } : null)) : env;
  return played === null ? null : { place, record: run, env: played, isAnywhere };
}

/** The training run's own environment, or one of its mixture with the options that it has there; null where there is none. */
function memberOf(env: Node, name: unknown): Node | null {
  if (env.name === name) return env;
  const listed = Array.isArray(env.envs) ? (env.envs as (string | Node)[]) : [];
  const member = listed.find((one) => (typeof one === 'string' ? one : one.name) === name);
  return member === undefined ? null : typeof member === 'string' ? { name: member } : member;
}

/**
 * Returns the overrides that choose the same options of config groups as the training run. `agentOptions` is applied afterwards,
 * because the keys of an option exist only once it is chosen.
 */
export const agentUnits: Rule = async (read, context) => {
  const run = await trained(read, context);
  if (run === null) return [];
  const { record, env } = run;
  const kinds = await Promise.all(KINDS.map(async (key) => [key, await kindOf(key, run)] as const));
  const groups = [['algorithm', record.algorithm?.name], ['env', env.name], ...kinds] as const;
  return wordsOf(
    run,
    groups.filter(([key, value]) => typeof value === 'string' && !context.isTyped(key)),
  ).filter(({ word }) => !context.isTyped('agent_type') || !word.startsWith('algorithm='));
};

export const agentOptions: Rule = async (read, context) => {
  const run = await trained(read, context);
  if (run === null) return [];
  const { record, env } = run;
  const nodes = KINDS.filter((key) => isRecord(record[key])).map(
    (key) => [key, without(record[key] as Node, 'kind')] as const,
  );
  const inside = [['env', without(env, 'name')] as const, ...nodes].flatMap(([key, node]) =>
    Object.entries(node).map(([option, value]) => [`${key}.${toSnakeCase(option)}`, value] as const),
  );
  const outside = KEYS.map((key) => {
    const [node, option] = key.split('.');
    return [key, (record[node] as Node | undefined)?.[toCamelCase(option)]] as const;
  });
  // A key that the evaluation's config lacks belongs to another kind of the node, and is left out.
  const known = [...inside, ...outside].filter(([key, value]) => value !== undefined && read(key) !== undefined);
  return wordsOf(
    run,
    known.filter(([key, value]) => !context.isTyped(key) && !isSame(read(key), value)),
  );
};

const wordsOf = ({ place }: Trained, entries: readonly (readonly [string, unknown])[]): Implied[] =>
  entries.map(([key, value]) => ({
    word: overrideText(key, snakeKeys(value)),
    why: `the agent in ${place} was trained with it`,
  }));

/**
 * Returns the kind of a node in the training run. If the environment to play is one of the run's mixture, and the context's kind
 * was `auto`, it is the kind that `auto` meant for the mixture.
 */
async function kindOf(key: (typeof KINDS)[number], { record, env, isAnywhere }: Trained): Promise<unknown> {
  const node = record[key];
  if (!isRecord(node)) return undefined;
  if (key !== 'context' || node.kind !== 'auto' || record.env === env || isAnywhere) return node.kind;
  const { contextOf } = await import('../agent/context/agent-context.js');
  const run: Node = { env: record.env, context: node };
  return contextOf(run as Node & ContextConfig).kind;
}

const without = (node: Node, name: string): Node =>
  Object.fromEntries(Object.entries(node).filter(([key]) => key !== name));

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(snakeKeys(b));
