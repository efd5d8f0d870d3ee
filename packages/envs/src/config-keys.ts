// Checks the options of an environment in a config: finds those that have no effect, and those with which it cannot be played.
import { isDeepStrictEqual } from 'node:util';
import { toSnakeCase } from '@bowyer/core';
import { UnknownNameError } from './contract/unknown-name-error.js';
import { membersOf } from './mixture/members.js';
import { environmentInfo, withDefaults } from './registry.js';
import type { Condition, EnvProblem } from './unit.js';

type Values = Readonly<Record<string, unknown>>;

/** Returns the problems of an environment's options: those that prevent playing, and options without effect. */
export function environmentProblems(name: string, options: Values): EnvProblem[] {
  const problems = environmentInfo(name).config?.problems;
  return [...unreadOptions(name, options), ...(problems?.(options) ?? []), ...memberProblems(name, options)];
}

function memberProblems(name: string, options: Values): EnvProblem[] {
  const option = environmentInfo(name).config?.members;
  if (option === undefined) return [];
  const key = `env.${toSnakeCase(option)}`;
  return membersOf(options[option]).flatMap((member, index): EnvProblem[] => {
    if (member.name === name) return []; // the unit itself refuses to contain itself
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

/** Returns a problem for each option that differs from its default and has no effect, given the values of all options. */
function unreadOptions(name: string, options: Values): EnvProblem[] {
  const { schema, config } = environmentInfo(name);
  return Object.entries(config?.readWith ?? {}).flatMap(([option, condition]) => {
    const isGiven = !isDeepStrictEqual(options[option] ?? null, schema.properties[option].default);
    if (!isGiven || isMet(condition!, options)) return [];
    return [unread(name, `env.${toSnakeCase(option)}`, condition!, options)];
  });
}

function unread(name: string, key: string, condition: Condition, options: Values): EnvProblem {
  const unmet = Object.entries(condition).find(([option, values]) => !values.includes(options[option]))!;
  const [option, values] = [`env.${toSnakeCase(unmet[0])}`, unmet[1]];
  const wanted = values.map((value) => `${option}=${String(value)}`).join(' or ');
  const message = `${key}: ${name} reads it only with ${wanted}; ${option} is ${String(options[unmet[0]])}`;
  const remedy = `write ${option}=${String(values[0])}, or leave ${key} out`;
  return { key, message, remedy, unreadFor: option };
}

const isMet = (condition: Condition, options: Values): boolean =>
  Object.entries(condition).every(([option, values]) => values.includes(options[option]));
