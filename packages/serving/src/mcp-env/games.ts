// Describes the environments of an MCP server, which are called games: their rules, and the tools that begin an episode.
import {
  defaultOffer,
  environmentInfo,
  itemKey,
  membersOf,
  withDefaults,
  type Member,
  type ResetSchema,
} from '@bowyer/envs';
import { toCamelCase, toSnakeCase } from '@bowyer/core';

/** One served environment, alone or as a member of a mixture of environments. */
export interface Game {
  /** The environment's name, or its label in a mixture. */
  label: string;
  description: string;
  /** The rules of the game, for a player who has not seen an observation yet. */
  rules: string;
  /** Whether observations list the valid actions. */
  listsActions: boolean;
}

export interface Opening {
  tool: string;
  description: string;
  /** The schemas of the tool's arguments by their names, in snake_case. */
  properties: ResetSchema['properties'];
  /** Returns the environment's `reset` options. The seed is used if the player gives neither seed nor item (numbered problem). */
  resetOptions(given: Readonly<Record<string, unknown>>, seed: number): Record<string, unknown>;
}

export interface ServedGames {
  name: string;
  description: string;
  games: readonly Game[];
  openings: readonly Opening[];
}

/** @param options of the environment, as in a config but in camelCase */
export function servedGames(name: string, options: Record<string, unknown>): ServedGames {
  const { description, config, schema } = environmentInfo(name);
  const members = config?.members;
  if (members === undefined) {
    const opening = { ...openingOf(name), tool: 'reset', description: 'Begins an episode; the one before is left.' };
    return { name, description, games: [gameOf({ name, options, label: name })], openings: [opening] };
  }
  const listed = membersOf(withDefaults(schema, options, name)[members]);
  return { name, description, games: listed.map(gameOf), openings: [drawnOpening, ...listed.map(memberOpening)] };
}

function gameOf({ name, options, label }: Member): Game {
  const { description, rules, context, schema } = environmentInfo(name);
  const complete = withDefaults(schema, options, name);
  const { parts } = context?.(complete) ?? defaultOffer;
  return {
    label,
    description,
    rules: [description, rules?.(complete) ?? ''].filter((text) => text !== '').join('\n'),
    listsActions: parts.includes('validActions'),
  };
}

/** Returns the arguments of the environment's own reset, with the problem's number renamed to `item`. */
function openingOf(name: string): Pick<Opening, 'properties' | 'resetOptions'> {
  const { properties } = environmentInfo(name).resetSchema;
  const key = itemKey(name);
  const hasItem = key !== 'seed';
  const nameOf = (own: string) => (own === key && hasItem ? 'item' : toSnakeCase(own));
  const ownOf = (given: string) => (given === 'item' && hasItem ? key : toCamelCase(given));
  return {
    // The defaults of the reset's schema are left out, since the environment's options may set other values.
    properties: Object.fromEntries(
      Object.entries(properties).map(([own, { default: _, ...property }]) => [nameOf(own), property]),
    ),
    resetOptions: (given, seed) => ({
      ...(given.item === undefined && { seed }),
      ...Object.fromEntries(Object.entries(given).map(([argument, value]) => [ownOf(argument), value])),
    }),
  };
}

/** The tool `reset` of a mixture, which draws one of the mixture's environments. */
const drawnOpening: Opening = {
  tool: 'reset',
  description: 'Begins an episode of an environment that the seed draws; the episode before is left.',
  properties: { seed: environmentInfo('mixture').resetSchema.properties.seed },
  resetOptions: (given, seed) => ({ seed, ...given }),
};

function memberOpening({ name, label }: Member, member: number): Opening {
  const { properties, resetOptions } = openingOf(name);
  return {
    tool: `reset_${label.replaceAll(/[^\w-]/g, '_')}`,
    description: `Begins an episode of ${label}; the one before is left. ${environmentInfo(name).description}`,
    properties,
    resetOptions: (given, seed) => ({ member, memberReset: resetOptions(given, seed) }),
  };
}
