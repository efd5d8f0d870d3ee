// Makes an environment's unit (its registration, unit.ts) from a short definition: a name, and `reset` and `step`, or `make` for
// an environment with a class of its own. All other members have defaults.
import { Rng } from '@bowyer/core';
import { checkedEnv } from './contract/checked-env.js';
import type { Env, ResetResult, StepResult } from './contract/env.js';
import { EpisodeOrder } from './contract/episode-order.js';
import { shown } from './contract/shown.js';
import { nearestName } from './contract/unknown-name-error.js';
import {
  expertNoiseSchema,
  playDemonstrations,
  playedOptions,
  playedSet,
  type ExpertNoise,
} from './played-demonstrations.js';
import { noOptions, resetSchemaWith, type AnyEnvironment, type EnvironmentUnit } from './unit.js';

/** The arguments of a definition's `step` and `expert`. `step` may mutate the state; `expert` must not. */
export interface StepContext<State, Options> {
  state: State;
  options: Options;
  /** The number of the turn in the episode, from 0. */
  turn: number;
}

/** The result of a definition's `reset`, which begins an episode. */
export interface ResetOutcome<State> {
  observation: string;
  /** The state of the episode, which is passed to `step` and `expert`. */
  state?: State;
  info?: Record<string, unknown>;
}

/** The result of a definition's `step`. By default the reward is 0 and the episode continues. */
export interface StepOutcome {
  observation: string;
  reward?: number;
  terminated?: boolean;
  truncated?: boolean;
  info?: Record<string, unknown>;
}

/** The members of a unit that a definition may omit, since they have defaults. */
type FurtherMembers<Options extends object, Extra extends object> = Partial<
  Omit<EnvironmentUnit<Options, Extra>, 'name' | 'make'>
>;

/** An environment that is defined by the functions `reset` and `step`. They must draw all random numbers from `rng`. */
export interface EnvironmentDefinition<State, Options extends object> extends FurtherMembers<Options, ExpertNoise> {
  name: string;
  reset(start: { options: Options; rng: Rng }): ResetOutcome<State> | Promise<ResetOutcome<State>>;
  step(action: string, now: StepContext<State, Options> & { rng: Rng }): StepOutcome | Promise<StepOutcome>;
  /** The number of turns after which an episode is truncated; absent: an episode ends only if `step` ends it. */
  maxTurns?: number | ((options: Options) => number);
  /** Returns the best action in the current state, which policies can imitate and DAgger can query; null if there is none. */
  expert?(now: StepContext<State, Options>): string | null;
}

/** A definition with `make`, which returns an instance of the environment's own class. */
export interface ClassDefinition<Options extends object, Extra extends object> extends FurtherMembers<Options, Extra> {
  name: string;
  make: EnvironmentUnit<Options, Extra>['make'];
}

// oxlint-disable-next-line typescript/no-explicit-any -- the definition of any environment
type AnyDefinition = EnvironmentDefinition<any, any> | ClassDefinition<any, any>;

/**
 * Completes a definition with defaults: no options, episodes that differ only by their seeds, observations that contain only the
 * last turn. A complete unit is returned unchanged. @throws {InvalidEnvironmentError} with every member that is missing, unknown
 * or has a wrong type
 */
export function defineEnvironment<Options extends object, Extra extends object = object>(
  definition: ClassDefinition<Options, Extra>,
): EnvironmentUnit<Options, Extra>;
export function defineEnvironment<State, Options extends object = object>(
  definition: EnvironmentDefinition<State, Options>,
): EnvironmentUnit<Options, ExpertNoise>;
export function defineEnvironment(definition: AnyDefinition): AnyEnvironment {
  const faults = definitionFaults(definition);
  if (faults.length > 0) throw new InvalidEnvironmentError((definition as { name?: unknown } | null)?.name, faults);
  return completed(withoutUndefined(definition));
}

/** Omits members whose value is undefined, so that they get their defaults; returns the same object if there are none. */
function withoutUndefined<T extends object>(definition: T): T {
  const given = Object.entries(definition).filter(([, value]) => value !== undefined);
  return given.length === Object.keys(definition).length ? definition : (Object.fromEntries(given) as T);
}

function completed(definition: AnyDefinition): AnyEnvironment {
  const { name } = definition;
  const defaults = {
    description: `the environment ${name}`,
    schema: noOptions,
    resetSchema: resetSchemaWith(),
    splits: 'seeds' as const,
    sampleActions: ['', 'yes', 'no', '1', 'look'],
  };
  if ('make' in definition) {
    const isComplete = Object.keys(defaults).every((member) => member in definition);
    return isComplete ? (definition as AnyEnvironment) : { ...defaults, ...definition };
  }
  const { reset: _reset, step: _step, maxTurns: _maxTurns, expert, ...further } = definition;
  const make = (options: object) => new DefinedEnv(definition, options);
  return { ...defaults, make, ...(expert && expertMembers(definition)), ...further };
}

/** Returns the members of a unit that follow from the definition's expert: it provides demonstrations. */
function expertMembers<State, Options extends object>(
  definition: EnvironmentDefinition<State, Options>,
): Pick<EnvironmentUnit<Options, ExpertNoise>, 'demonstrations' | 'hasExpert'> {
  return {
    hasExpert: () => true,
    demonstrations: {
      schema: expertNoiseSchema,
      make: async (options, request) => {
        const env = checkedEnv(new DefinedEnv(definition, options), definition.name);
        /** The expert's earlier replies. A random turn repeats one if there are neither valid actions nor sample actions. */
        const said = new Set<string>();
        const best = () => {
          const reply = env.expertReply!();
          if (reply !== null) said.add(reply);
          return reply;
        };
        const random = (info: Record<string, unknown>, rng: Rng) =>
          rng.choice(
            (info.validActions as string[] | undefined) ?? definition.sampleActions ?? [best() ?? '', ...said],
          );
        return playedSet(await playDemonstrations(env, { best, random }, playedOptions(request)));
      },
    },
  };
}

class DefinedEnv<State, Options extends object> implements Env {
  readonly #order: EpisodeOrder;
  readonly #maxTurns: number;
  readonly expertReply?: () => string | null;
  #rng = new Rng(0);
  #state!: State;
  #turn = 0;

  constructor(
    private readonly definition: EnvironmentDefinition<State, Options>,
    private readonly options: Options,
  ) {
    const { name, maxTurns = Infinity, expert } = definition;
    this.#order = new EpisodeOrder(name);
    this.#maxTurns = typeof maxTurns === 'number' ? maxTurns : maxTurns(options);
    if (expert) this.expertReply = () => expert(this.#now());
  }

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#turn = 0;
    const { state, info = {}, ...shownFirst } = await this.definition.reset({ options: this.options, rng: this.#rng });
    this.#state = state as State;
    return { ...shownFirst, info };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const consequence = await this.definition.step(action, { ...this.#now(), rng: this.#rng });
    this.#turn++;
    const { reward = 0, terminated = false, info = {} } = consequence;
    const { truncated = !terminated && this.#turn >= this.#maxTurns } = consequence;
    if (terminated || truncated) this.#order.end();
    return { observation: consequence.observation, reward, terminated, truncated, info };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #now(): StepContext<State, Options> {
    return { state: this.#state, options: this.options, turn: this.#turn };
  }
}

class InvalidEnvironmentError extends Error {
  override readonly name = 'InvalidEnvironmentError';

  constructor(
    environment: unknown,
    readonly faults: readonly string[],
  ) {
    super(
      [
        typeof environment === 'string' && environment !== ''
          ? `the environment '${environment}' is not well defined`
          : 'an environment is not well defined',
        ...faults.map((fault) => `  - ${fault}`),
        '  all members, with examples: docs/extending/environment.md',
      ].join('\n'),
    );
  }
}

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === 'string';
const isFunction: Test = (value) => typeof value === 'function';
const isObject: Test = (value) => typeof value === 'object' && value !== null;
const isCount: Test = (value) => Number.isInteger(value) && (value as number) >= 1;
const hasProperties: Test = (value) => isObject(value) && isObject((value as { properties?: unknown }).properties);

/** The types of a definition's members: the type in words for error messages, and a predicate. */
const kinds = {
  text: ['a text', isText],
  texts: ['a list of texts', (value) => Array.isArray(value) && value.length > 0 && value.every(isText)],
  function: ['a function', isFunction],
  object: ['an object', isObject],
  schema: ['a JSON Schema with properties', hasProperties],
  resetSchema: ['a JSON Schema with properties (resetSchemaWith())', hasProperties],
  splits: ["'seeds' or a function", (value) => value === 'seeds' || isFunction(value)],
  maxTurns: ['an integer above 0 or a function', (value) => isCount(value) || isFunction(value)],
} satisfies Record<string, [string, Test]>;

/** The types of a definition's members by their names. For a member that is a group, the types of its own members. */
type MemberKinds = Readonly<Record<string, keyof typeof kinds>>;
type Member = keyof EnvironmentUnit | keyof EnvironmentDefinition<unknown, object>;
type Group = 'config' | 'tokens' | 'critic' | 'replay' | 'evaluation';

export const memberKinds = {
  name: 'text',
  reset: 'function',
  step: 'function',
  make: 'function',
  maxTurns: 'maxTurns',
  expert: 'function',
  description: 'text',
  rules: 'function',
  schema: 'schema',
  resetSchema: 'resetSchema',
  splits: 'splits',
  context: 'function',
  sampleActions: 'texts',
  demonstrations: 'object',
  hasExpert: 'function',
  oracles: 'object',
  config: { members: 'text', flatNames: 'object', readWith: 'object', problems: 'function' },
  tokens: { answers: 'function', vocabulary: 'function', spells: 'text' },
  critic: { kind: 'text', typicalReturn: 'function' },
  replay: { engineText: 'function', options: 'object' },
  evaluation: { taskType: 'function', report: 'function', optimalReturn: 'function' },
} as const satisfies Record<Exclude<Member, Group>, keyof typeof kinds> & {
  [Name in Group]: Record<keyof Required<EnvironmentUnit>[Name], keyof typeof kinds>;
};

/** TypeScript would find these faults, but a definition may be written in JavaScript. */
function definitionFaults(definition: unknown): string[] {
  if (!isObject(definition)) return [`a definition must be an object; got ${shown(definition)}`];
  const given = definition as Record<string, unknown>;
  const needed = given.make === undefined ? ['name', 'reset', 'step'] : ['name'];
  const unused =
    given.make === undefined ? [] : ['reset', 'step', 'maxTurns', 'expert'].filter((key) => given[key] !== undefined);
  return [
    ...memberFaults(given, memberKinds, needed),
    ...unused.map((member) => `${member} is not read beside make: leave one of them out`),
  ];
}

/** Returns messages about the members of a definition or of a group in it. @param place path of the group, with a trailing dot */
function memberFaults(
  given: Record<string, unknown>,
  members: Readonly<Record<string, MemberKinds | keyof typeof kinds>>,
  needed: readonly string[] = [],
  place = '',
): string[] {
  const wrong = Object.entries(members).flatMap(([member, kind]) => {
    const value = given[member];
    if (value === undefined && !needed.includes(member)) return [];
    if (typeof kind === 'object')
      return isObject(value)
        ? memberFaults(value as Record<string, unknown>, kind, [], `${place}${member}.`)
        : [`${place}${member} must be an object; got ${shown(value)}`];
    const [words, test] = kinds[kind];
    return test(value) && value !== '' ? [] : [`${place}${member} must be ${words}; got ${shown(value)}`];
  });
  const unknown = Object.keys(given).flatMap((member) => {
    if (Object.hasOwn(members, member)) return [];
    const nearest = nearestMember(member, members, place);
    return [
      `${place}${member} is not a member of an environment${nearest === null ? '' : `; did you mean ${nearest}?`}`,
    ];
  });
  return [...wrong, ...unknown];
}

/** The current names of members that were renamed or grouped after version 0.2, for error messages about the old names. */
const formerNames: Readonly<Record<string, string>> = {
  answerTokens: 'tokens.answers',
  replayOptions: 'replay.options',
};

function nearestMember(member: string, members: object, place: string): string | null {
  if (place !== '') {
    const nearest = nearestName(member, Object.keys(members));
    return nearest === null ? null : `${place}${nearest}`;
  }
  const groups = Object.entries(memberKinds).filter(([, kind]) => typeof kind === 'object');
  const group = groups.find(([, kind]) => Object.hasOwn(kind as object, member));
  return formerNames[member] ?? (group ? `${group[0]}.${member}` : nearestName(member, Object.keys(members)));
}
