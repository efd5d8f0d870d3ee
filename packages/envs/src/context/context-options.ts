// Defines the options of the text that an agent reads, and the parts that an environment can provide for it.
import type { ConfigProblem } from '@bowyer/core';

export const contextKinds = ['auto', 'dialogue', 'window', 'last', 'tutorial'] as const;
export type ContextKind = (typeof contextKinds)[number];

/** The parts of the text that an environment may provide beside its observation. */
export const contextParts = ['taskDescription', 'validActions', 'inventory'] as const;
export type ContextPart = (typeof contextParts)[number];

/** The parts of the text that an environment provides. */
export interface ContextOffer {
  /** The content of an observation. `turn`: the answer to the last action; `history`: the whole episode so far. */
  observation: 'turn' | 'history';
  /** The kind that `context.kind=auto` selects. */
  kind: 'dialogue' | 'last';
  /** Keys of `info`. The task is in `info` after a reset, the others after every step too. */
  parts: readonly ContextPart[];
}

/** The offer of an environment whose observation is the whole episode so far. */
export const historyOffer: ContextOffer = { observation: 'history', kind: 'dialogue', parts: [] };

/** The same offer, with valid actions in `info` for choosing among them; the text does not contain them. */
export const listedHistory: ContextOffer = { ...historyOffer, parts: ['validActions'] };

/** The offer of a game on AgentGym's server: its observation answers the last action, and it may lack a list of actions. */
export const servedOffer: ContextOffer = { observation: 'turn', kind: 'dialogue', parts: [] };

/** The offer of an environment that declares none. */
export const defaultOffer: ContextOffer = { observation: 'turn', kind: 'dialogue', parts: [] };

/** The node `context` of a config, in camelCase. Keys that the kind does not have are absent. */
export interface ContextOptions {
  /** The kind of context. `auto`: the environment's default kind, without further parts. */
  kind: ContextKind;
  /** The number of earlier turns, with their actions, before the current observation. */
  historyTurns?: number;
  taskDescription?: boolean;
  stepCounter?: boolean;
  inventory?: boolean;
  validActions?: boolean;
  /**
   * The largest number of characters; null: no limit. The oldest turns are left out first, the task and the current turn never.
   */
  maxChars?: number | null;
}

/** The keys of each kind. The prompt of `tutorial` always contains the task and the step numbers. */
export const keysOfKind: Readonly<Record<ContextKind, readonly (keyof ContextOptions)[]>> = {
  auto: [],
  dialogue: ['stepCounter', 'inventory', 'validActions'],
  window: ['historyTurns', 'taskDescription', 'stepCounter', 'inventory', 'validActions', 'maxChars'],
  last: ['taskDescription', 'stepCounter', 'inventory', 'validActions'],
  tutorial: ['historyTurns', 'inventory', 'validActions', 'maxChars'],
};

/** A context in which every setting is given. */
export interface ResolvedContext {
  kind: Exclude<ContextKind, 'auto'>;
  historyTurns: number;
  taskDescription: boolean;
  stepCounter: boolean;
  inventory: boolean;
  validActions: boolean;
  maxChars: number | null;
}

/** Replaces `auto` and adds the defaults of all settings. */
export function resolveContext(options: ContextOptions, offer: ContextOffer): ResolvedContext {
  const kind = options.kind === 'auto' ? offer.kind : options.kind;
  const { historyTurns = 0, stepCounter = false, inventory = false, validActions = false, maxChars = null } = options;
  const taskDescription = kind === 'tutorial' || (options.taskDescription ?? false);
  return { kind, historyTurns, taskDescription, stepCounter, inventory, validActions, maxChars };
}

const inSnakeCase: Readonly<Record<ContextPart, string>> = {
  taskDescription: 'task_description',
  validActions: 'valid_actions',
  inventory: 'inventory',
};

/** Returns a problem for each part of the context that the environment cannot provide. */
export function contextProblems(options: ContextOptions, name: string, offer: ContextOffer): ConfigProblem[] {
  const context = resolveContext(options, offer);
  if (offer.observation === 'history') {
    if (!isPlain(context))
      return [
        {
          key: 'context.kind',
          message: `context.kind=${context.kind}: an observation of ${name} is everything that was said so far, which cannot be taken apart`,
          remedy:
            'write context=dialogue, or context=last without parts; or let the environment observe single turns, where it can (env.observation)',
        },
      ];
    return [];
  }
  return contextParts
    .filter((part) => context[part] && !offer.parts.includes(part))
    .map((part) => {
      const isNeeded = context.kind === 'tutorial' && part === 'taskDescription';
      const offered = offer.parts.map((other) => inSnakeCase[other]);
      return {
        key: isNeeded ? 'context.kind' : `context.${inSnakeCase[part]}`,
        message: `context.${isNeeded ? 'kind=tutorial' : inSnakeCase[part]}: ${name} has no ${inSnakeCase[part]} for the agent to read`,
        remedy:
          (offered.length > 0 ? `it has ${offered.join(', ')}` : 'it has no part beside its observation') +
          (isNeeded ? '; write context=window or context=dialogue' : `; write context.${inSnakeCase[part]}=false`),
      };
    });
}

/** Returns whether the text consists of observations and actions alone. */
export const isPlain = ({ kind, taskDescription, stepCounter, inventory, validActions }: ResolvedContext): boolean =>
  (kind === 'dialogue' || kind === 'last') && !taskDescription && !stepCounter && !inventory && !validActions;

/** Returns whether the text of each turn begins with the text and the action of the turn before. */
export const continues = ({ kind }: ResolvedContext): boolean => kind === 'dialogue';

/** A turn's observation, and the action that the agent took then. */
export interface ContextTurn {
  number: number;
  observation: string;
  inventory: string;
  validActions: readonly string[];
  /** The action; empty in the current turn. */
  action: string;
}
