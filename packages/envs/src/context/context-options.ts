// The options of the text that an agent reads, and the parts that an environment offers for it.
import type { ConfigProblem } from '@bowyer/core';

export const contextKinds = ['auto', 'dialogue', 'window', 'last', 'tutorial'] as const;
export type ContextKind = (typeof contextKinds)[number];

/** The parts that an environment may give beside its observation. */
export const contextParts = ['taskDescription', 'validActions', 'inventory'] as const;
export type ContextPart = (typeof contextParts)[number];

/** The parts of the agent's text that an environment offers. */
export interface ContextOffer {
  /** The content of an observation. `turn`: the answer to the last action; `history`: everything that was said so far. */
  observation: 'turn' | 'history';
  /** The kind that context=auto stands for. */
  kind: 'dialogue' | 'last';
  /** Keys of `info`: the task after a reset, the others after every step too. */
  parts: readonly ContextPart[];
}

/** The offer of an environment whose observation is everything that was said so far. */
export const historyOffer: ContextOffer = { observation: 'history', kind: 'dialogue', parts: [] };

/** The same offer with valid actions in `info`, from which an agent may choose, but which it does not read. */
export const listedHistory: ContextOffer = { ...historyOffer, parts: ['validActions'] };

/** The offer of a game on AgentGym's server, which answers the last action and may list actions or not. */
export const servedOffer: ContextOffer = { observation: 'turn', kind: 'dialogue', parts: [] };

/** The offer of an environment that declares none. */
export const defaultOffer: ContextOffer = { observation: 'turn', kind: 'dialogue', parts: [] };

/** The node `context` of a config, in camelCase. A key that its kind does not have is absent. */
export interface ContextOptions {
  /** The kind of context; auto: the environment's own choice, without parts. */
  kind: ContextKind;
  /** The number of earlier turns, with their actions, before the current observation. */
  historyTurns?: number;
  taskDescription?: boolean;
  stepCounter?: boolean;
  inventory?: boolean;
  validActions?: boolean;
  /** The most characters; the oldest turns are left out until the text fits, never the task nor the current turn. Null: no limit. */
  maxChars?: number | null;
}

/** The keys of each kind beside `kind`. The tutorial's prompt always contains the task and the steps' numbers. */
export const keysOfKind: Readonly<Record<ContextKind, readonly (keyof ContextOptions)[]>> = {
  auto: [],
  dialogue: ['stepCounter', 'inventory', 'validActions'],
  window: ['historyTurns', 'taskDescription', 'stepCounter', 'inventory', 'validActions', 'maxChars'],
  last: ['taskDescription', 'stepCounter', 'inventory', 'validActions'],
  tutorial: ['historyTurns', 'inventory', 'validActions', 'maxChars'],
};

/** A context with all of its settings. */
export interface ResolvedContext {
  kind: Exclude<ContextKind, 'auto'>;
  historyTurns: number;
  taskDescription: boolean;
  stepCounter: boolean;
  inventory: boolean;
  validActions: boolean;
  maxChars: number | null;
}

/** Returns the options as an environment takes them: auto is settled, and every setting is given. */
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

/** Returns the parts of the context in a config that an environment cannot give; empty if it can give all. */
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

/** Returns whether the text is the observation itself, or a dialogue of observations and actions alone. */
export const isPlain = ({ kind, taskDescription, stepCounter, inventory, validActions }: ResolvedContext): boolean =>
  (kind === 'dialogue' || kind === 'last') && !taskDescription && !stepCounter && !inventory && !validActions;

/** Returns whether every turn's text continues the text and the action before it. */
export const continues = ({ kind }: ResolvedContext): boolean => kind === 'dialogue';

/** A turn's observation, and the action that the agent took then. */
export interface ContextTurn {
  /** The number of the turn in its episode, from 0. */
  number: number;
  observation: string;
  inventory: string;
  validActions: readonly string[];
  /** The action; empty in the current turn. */
  action: string;
}
