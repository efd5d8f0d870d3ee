// Defines the config's node `context`, which selects what the agent's text contains (earlier turns, task, inventory …), and which
// of this an environment can provide.
import type { ConfigProblem } from '@bowyer/core';

export const contextKinds = ['auto', 'dialogue', 'window', 'last', 'tutorial'] as const;
export type ContextKind = (typeof contextKinds)[number];

/** The parts of the text that an environment may provide in `info` in addition to its observation. */
export const contextParts = ['taskDescription', 'validActions', 'inventory'] as const;
export type ContextPart = (typeof contextParts)[number];

/** Declares what an environment can provide for the text that the agent reads. */
export interface ContextOffer {
  /** The content of an observation. `turn`: only the answer to the last action; `history`: the whole episode so far. */
  observation: 'turn' | 'history';
  /** The kind of the agent's text that `context.kind=auto` selects for this environment. */
  kind: 'dialogue' | 'last';
  /** The keys of `info` that the environment fills: `taskDescription` after a reset, the others also after every step. */
  parts: readonly ContextPart[];
}

/** The declaration of an environment whose observation is the whole episode so far. */
export const historyOffer: ContextOffer = { observation: 'history', kind: 'dialogue', parts: [] };

/** `historyOffer` with valid actions in `info`, for policies that choose among them; the agent's text does not list them. */
export const listedHistory: ContextOffer = { ...historyOffer, parts: ['validActions'] };

/** A game on an AgentGym server: an observation answers the last action, and the server may send no list of actions. */
export const servedOffer: ContextOffer = { observation: 'turn', kind: 'dialogue', parts: [] };

/** The declaration that applies to an environment without one. */
export const defaultOffer: ContextOffer = { observation: 'turn', kind: 'dialogue', parts: [] };

/** The node `context` of a config, in camelCase. Keys that do not apply to the chosen kind are absent. */
export interface ContextOptions {
  /** The kind of the text. `auto`: the kind that the environment declares, with observations and actions alone. */
  kind: ContextKind;
  /** The number of earlier turns (observation and action) that the text shows before the current observation. */
  historyTurns?: number;
  taskDescription?: boolean;
  stepCounter?: boolean;
  inventory?: boolean;
  validActions?: boolean;
  /** The largest number of characters; null: no limit. The oldest turns are left out first, task and current turn never. */
  maxChars?: number | null;
}

/** The keys that apply to each kind. The text of kind `tutorial` always contains the task and the step numbers. */
export const keysOfKind: Readonly<Record<ContextKind, readonly (keyof ContextOptions)[]>> = {
  auto: [],
  dialogue: ['stepCounter', 'inventory', 'validActions'],
  window: ['historyTurns', 'taskDescription', 'stepCounter', 'inventory', 'validActions', 'maxChars'],
  last: ['taskDescription', 'stepCounter', 'inventory', 'validActions'],
  tutorial: ['historyTurns', 'inventory', 'validActions', 'maxChars'],
};

/** The node `context` with a value for every setting. */
export interface ResolvedContext {
  kind: Exclude<ContextKind, 'auto'>;
  historyTurns: number;
  taskDescription: boolean;
  stepCounter: boolean;
  inventory: boolean;
  validActions: boolean;
  maxChars: number | null;
}

/** Replaces the kind `auto` by the environment's kind, and adds the defaults of all settings. */
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

/** Returns a problem for each part of the agent's text that the config selects and the environment cannot provide. */
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

/** Returns whether the agent's text consists of observations and actions alone. */
export const isPlain = ({ kind, taskDescription, stepCounter, inventory, validActions }: ResolvedContext): boolean =>
  (kind === 'dialogue' || kind === 'last') && !taskDescription && !stepCounter && !inventory && !validActions;

/** Returns whether the text of each turn begins with the previous turn's text and action, as in a growing dialogue. */
export const continues = ({ kind }: ResolvedContext): boolean => kind === 'dialogue';

export interface ContextTurn {
  number: number;
  observation: string;
  inventory: string;
  validActions: readonly string[];
  /** The agent's action; empty in the current turn, in which it has not acted yet. */
  action: string;
}
