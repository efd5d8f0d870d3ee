// Defines the clauses of the contract of environments, against which every result is checked, in runs and in `checkEnv`.
import { jsonFault } from './json-fault.js';
import { shown } from './shown.js';

/** Returns the clauses that the result of `reset` violates, as messages; empty if there is none. */
export const resetFaults = (result: unknown): string[] =>
  isRecord(result) ? commonFaults(result) : [noRecord('reset', result)];

export function stepFaults(result: unknown): string[] {
  if (!isRecord(result)) return [noRecord('step', result)];
  const { reward, terminated, truncated } = result;
  const faults = commonFaults(result);
  if (typeof reward !== 'number' || !Number.isFinite(reward))
    faults.push(`rewards must be finite numbers; got ${shown(reward)}`);
  for (const [name, value] of Object.entries({ terminated, truncated }))
    if (typeof value !== 'boolean') faults.push(`${name} must be true or false; got ${shown(value)}`);
  if (terminated === true && truncated === true) faults.push('terminated and truncated must never both be true');
  return faults;
}

/** Returns the message for an invalid result of `expertReply`; null if it is valid. */
export function expertFault(reply: unknown): string | null {
  if (reply === null || (typeof reply === 'string' && reply !== '')) return null;
  return `expertReply() must return a reply, or null where it knows no further; got ${shown(reply)}`;
}

export function envFaults(env: unknown): string[] {
  if (typeof env !== 'object' || env === null) return [`make() must return an environment; got ${shown(env)}`];
  const methods = env as Record<string, unknown>;
  if (typeof methods.then === 'function') return [`make() must return an environment; got ${shown(env)}`];
  return ['reset', 'step', 'close']
    .filter((name) => typeof methods[name] !== 'function')
    .map((name) => `an environment must have the method ${name}(); got ${shown(methods[name])}`);
}

const noRecord = (call: string, result: unknown) =>
  `${call}() must return an object with an observation; got ${shown(result)}`;

function commonFaults({ observation, info }: Record<string, unknown>): string[] {
  const faults: string[] = [];
  if (typeof observation !== 'string') faults.push(`observations must be texts; got ${shown(observation)}`);
  if (isRecord(info)) faults.push(...infoFaults(info));
  else faults.push(`info must be an object; got ${shown(info)}`);
  return faults;
}

/** Returns messages for fields of `info` that agents or metrics read, and for the first value that JSON cannot express. */
function infoFaults(info: Record<string, unknown>): string[] {
  const { validActions, taskDescription, inventory, item, won } = info;
  const faults: string[] = [];
  const demand = (name: string, value: unknown, kind: string, isKind: boolean) => {
    if (value !== undefined && value !== null && !isKind)
      faults.push(`info.${name} must be ${kind}; got ${shown(value)}`);
  };
  demand('validActions', validActions, 'a list of texts', Array.isArray(validActions));
  if (Array.isArray(validActions)) {
    const place = validActions.findIndex((action) => typeof action !== 'string');
    if (place >= 0) faults.push(`info.validActions[${place}] must be a text; got ${shown(validActions[place])}`);
  }
  demand('taskDescription', taskDescription, 'a text', typeof taskDescription === 'string');
  demand('inventory', inventory, 'a text', typeof inventory === 'string');
  demand('item', item, 'a text or a number', typeof item === 'string' || typeof item === 'number');
  demand('won', won, 'true or false', typeof won === 'boolean');
  const fault = jsonFault(info, 'info');
  return fault === null ? faults : [...faults, fault];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof (value as { then?: unknown }).then !== 'function';
