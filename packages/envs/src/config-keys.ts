// Config keys of an environment outside its `env` node, and the settings among them that nobody would read.
import { isDeepStrictEqual } from 'node:util';
import { toSnakeCase } from '@bowyer/core';
import { UnknownNameError } from './contract/unknown-name-error.js';
import { membersOf } from './mixture/members.js';
import { environmentInfo, environmentNames, withDefaults } from './registry.js';
import type { Condition, EnvProblem } from './unit.js';

type Values = Readonly<Record<string, unknown>>;

/** Keys outside the `env` node, in snake_case, that some registered environment reads. */
export const environmentKeys = (): string[] => [
  ...new Set(environmentNames().flatMap((name) => Object.keys(environmentInfo(name).keys ?? {}))),
];

/** Returns whether the environment takes an option from this key outside the `env` node. */
export const readsKey = (name: string, key: string, options: Values): boolean =>
  unmetCondition(name, key, options) === null;

/**
 * Returns the options of the `env` node, and those that keys outside it give where the node's value is null.
 *
 * @param keys by their names in snake_case; null where a config gives none
 */
export function optionsWithKeys(name: string, options: Values, keys: Values): Record<string, unknown> {
  const all: Record<string, unknown> = { ...options };
  for (const [key, { option }] of Object.entries(environmentInfo(name).keys ?? {})) {
    if (readsKey(name, key, options)) all[option] ??= keys[key] ?? null;
  }
  return all;
}

/** Returns the problems of options and keys that cannot be played or would not be read; empty where there are none. */
export function environmentProblems(name: string, options: Values, keys: Values = {}): EnvProblem[] {
  const { problems } = environmentInfo(name);
  return [
    ...keyProblems(name, options, keys),
    ...unreadOptions(name, options),
    ...(problems?.(optionsWithKeys(name, options, keys)) ?? []),
    ...memberProblems(name, options),
  ];
}

/** Returns the problems of the environments that this one lists. */
function memberProblems(name: string, options: Values): EnvProblem[] {
  const { members: option } = environmentInfo(name);
  if (option === undefined) return [];
  const key = `env.${toSnakeCase(option)}`;
  return membersOf(options[option]).flatMap((member, index): EnvProblem[] => {
    if (member.name === name) return []; // its own unit refuses it
    try {
      const { schema } = environmentInfo(member.name);
      const problems = environmentProblems(member.name, withDefaults(schema, member.options, member.name));
      const place = (text: string) => text.replaceAll(/\benv\.(?=\w)/g, `${key}[${index}].`);
      return problems.map(({ message, remedy }) => ({ key, message: place(message), remedy: place(remedy) }));
    } catch (error) {
      if (!(error instanceof UnknownNameError)) throw error;
      const [message, ...remedy] = error.message.split('\n');
      return [{ key, message: `${key}[${index}]: ${message}`, remedy: remedy.map((line) => line.trim()).join('\n  ') }];
    }
  });
}

function keyProblems(name: string, options: Values, keys: Values): EnvProblem[] {
  const known = environmentInfo(name).keys ?? {};
  /** The keys that have given an option so far. */
  const givenBy = new Map<string, { key: string; value: unknown }>();
  for (const { option } of Object.values(known)) {
    const value = options[option] ?? null;
    if (value !== null) givenBy.set(option, { key: `env.${toSnakeCase(option)}`, value });
  }
  return Object.entries(keys).flatMap(([key, value]): EnvProblem[] => {
    if (value === null || value === undefined) return [];
    if (!(key in known)) return [keyOfOthers(name, key)];
    const condition = unmetCondition(name, key, options);
    if (condition !== null) return [unread(name, key, condition, options)];
    const { option } = known[key];
    const other = givenBy.get(option);
    givenBy.set(option, { key, value });
    if (other === undefined || isDeepStrictEqual(other.value, value)) return [];
    const message = `${key} is ${String(value)}, but ${other.key} is ${String(other.value)}`;
    return [{ key, message, remedy: 'they are two names of the same option: give one of them' }];
  });
}

/** Options that differ from their defaults and that nothing reads under the values of the others. */
function unreadOptions(name: string, options: Values): EnvProblem[] {
  const { schema, readWith = {} } = environmentInfo(name);
  return Object.entries(readWith).flatMap(([option, condition]) => {
    const isGiven = !isDeepStrictEqual(options[option] ?? null, schema.properties[option].default);
    if (!isGiven || isMet(condition!, options)) return [];
    return [unread(name, `env.${toSnakeCase(option)}`, condition!, options)];
  });
}

function keyOfOthers(name: string, key: string): EnvProblem {
  const readers = environmentNames().filter((other) => key in (environmentInfo(other).keys ?? {}));
  const message = `${key}: ${name} does not read it`;
  return { key, message, remedy: `leave it out; environments that read it: ${readers.join(', ')}` };
}

function unread(name: string, key: string, condition: Condition, options: Values): EnvProblem {
  const unmet = Object.entries(condition).find(([option, values]) => !values.includes(options[option]))!;
  const [option, values] = [`env.${toSnakeCase(unmet[0])}`, unmet[1]];
  const wanted = values.map((value) => `${option}=${String(value)}`).join(' or ');
  const message = `${key}: ${name} reads it only with ${wanted}; ${option} is ${String(options[unmet[0]])}`;
  const remedy = `write ${option}=${String(values[0])}, or leave ${key} out`;
  return { key, message, remedy, unreadFor: option };
}

/** Returns the condition that keeps a key which the environment knows from being read; null if none does. */
function unmetCondition(name: string, key: string, options: Values): Condition | null {
  const { keys = {}, readWith = {} } = environmentInfo(name);
  if (!(key in keys)) return {};
  const conditions = [keys[key].readWith, readWith[keys[key].option]];
  return conditions.find((condition) => condition !== undefined && !isMet(condition, options)) ?? null;
}

const isMet = (condition: Condition, options: Values): boolean =>
  Object.entries(condition).every(([option, values]) => values.includes(options[option]));
