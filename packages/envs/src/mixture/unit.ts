import { option, Rng, type DemonstrationSet } from '@bowyer/core';
import type { Env } from '../contract/env.js';
import {
  expertNoiseSchema,
  expertSlipsSchema,
  expertStraysSchema,
  type ExpertNoise,
  type ExpertSlips,
  type ExpertStrays,
} from '../played-demonstrations.js';
import { defaultOffer, historyOffer, type ContextOffer } from '../context/context-options.js';
import type { EnvParts } from '../oracle.js';
import type { SplitPlan } from '../splits.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith, type AnyEnvironment, type DemonstrationRequest } from '../unit.js';
import { alfworldExpertSchema, type ExpertTies } from '../alfworld/demonstrations.js';
import { textCraftExpertSchema, type TextCraftExpert } from '../textcraft/demonstrations.js';
import { membersOf, type Member, type ListedMember } from './members.js';
import { Mixture } from './mixture.js';
import { options, type OptionsOf } from '../option.js';

/** The functions of the registry. It contains the mixture itself, so that importing it here would be circular. */
interface Members {
  unit(name: string): AnyEnvironment;
  make(name: string, options: Readonly<Record<string, unknown>>, parts: EnvParts): Env;
  /** Returns all options of a member environment, with defaults for those that are not given. */
  options(member: Member): Record<string, unknown>;
  plan(name: string, options: Readonly<Record<string, unknown>>): SplitPlan;
}

/** The options of the experts of all member environments. Each option applies to those experts that have it. */
type ExpertKeys = ExpertNoise & ExpertSlips & ExpertStrays & TextCraftExpert & ExpertTies;

const member = {
  description: 'The environment that is played, by its place in the list, instead of one drawn by the seed.',
  type: 'integer',
} as const;
const memberReset = { description: 'Options of the reset of that environment.', type: 'object' } as const;

const schema = options({
  envs: option<readonly ListedMember[]>({
    description:
      'The environments, each a name or a node with a name and those of its options that differ from their defaults.',
    type: 'array',
    items: { type: ['string', 'object'] },
    minItems: 1,
    default: [{ name: 'textcraft', observation: 'turn' }, 'maze'],
  }),
});

type MixtureOptions = OptionsOf<typeof schema>;

export const mixtureUnit = (registry: Members) =>
  defineEnvironment<MixtureOptions, ExpertKeys>({
    name: 'mixture',
    description: 'Several environments in one run: each episode is played in one of them.',
    schema,
    config: {
      members: 'envs',
      problems: ({ envs }) => [
        ...membersOf(envs).flatMap((one) => memberProblems(one)),
        ...contextProblems(offersOf(membersOf(envs), registry)),
      ],
    },
    resetSchema: resetSchemaWith({ member, memberReset }),
    make: ({ envs }, parts) =>
      new Mixture(
        membersOf(envs).map(({ name, label, options }) => ({
          label,
          make: () => registry.make(name, options, parts),
        })),
      ),
    splits: ({ envs }) => mixedPlan(membersOf(envs), registry),
    evaluation: { taskType: ({ env }) => (typeof env === 'string' ? env : null) },
    context: ({ envs }) => mixedOffer(offersOf(membersOf(envs), registry)),
    sampleActions: ['inventory', 'get 1 stick', 'move left', 'move right', 'move up', ''],
    critic: {
      typicalReturn: ({ envs }) => {
        const returns = membersOf(envs).map(
          (one) => registry.unit(one.name).critic?.typicalReturn?.(registry.options(one)) ?? 0,
        );
        return returns.reduce((sum, value) => sum + value, 0) / returns.length;
      },
    },
    tokens: {
      answers: ({ envs }) => [
        ...new Set(
          membersOf(envs).flatMap((one) => registry.unit(one.name).tokens?.answers?.(registry.options(one)) ?? []),
        ),
      ],
      vocabulary: ({ envs }) =>
        membersOf(envs).flatMap((one) => [
          ...(registry.unit(one.name).tokens?.vocabulary?.(registry.options(one)) ?? []),
        ]),
    },
    demonstrations: {
      schema: {
        ...expertNoiseSchema,
        properties: {
          ...expertNoiseSchema.properties,
          ...expertSlipsSchema.properties,
          ...expertStraysSchema.properties,
          ...textCraftExpertSchema,
          ...alfworldExpertSchema,
        },
      },
      make: ({ envs }, request) => mixedDemonstrations(membersOf(envs), request, registry),
      problem: ({ envs }) => withoutExpert(membersOf(envs), registry),
      files: ({ envs }) =>
        membersOf(envs).flatMap((one) => registry.unit(one.name).demonstrations?.files?.(registry.options(one)) ?? []),
    },
  });

/** Unknown names are skipped; another check reports them. */
const offersOf = (members: readonly Member[], registry: Members): ContextOffer[] =>
  members.flatMap((one) => {
    try {
      return [registry.unit(one.name).context?.(registry.options(one)) ?? defaultOffer];
    } catch {
      return [];
    }
  });

/** Returns the parts of the agent's text that all member environments can provide. */
function mixedOffer(offers: readonly ContextOffer[]): ContextOffer {
  if (offers.every(({ observation }) => observation === 'history')) return historyOffer;
  const parts = offers[0].parts.filter((part) => offers.every((offer) => offer.parts.includes(part)));
  return { observation: 'turn', kind: offers.some(({ kind }) => kind === 'dialogue') ? 'dialogue' : 'last', parts };
}

function contextProblems(offers: readonly ContextOffer[]) {
  if (new Set(offers.map(({ observation }) => observation)).size < 2) return [];
  return [
    {
      key: 'env.envs',
      message: 'env.envs: some of these environments observe single turns, others everything that was said so far',
      remedy:
        'let all observe single turns, where they can ({name: textcraft, observation: turn}), or mix those that are alike',
    },
  ];
}

/** An episode's number selects the member environments in turn; without a number, the episode's seed draws one. */
function mixedPlan(members: readonly Member[], registry: Members): SplitPlan {
  const plans = members.map(({ name, options }) => registry.plan(name, options));
  const sum = (counts: readonly (number | null)[]) =>
    counts.reduce((total, count) => (total === null || count === null ? null : total + count), 0);
  return {
    noun: [...new Set(plans.map(({ noun }) => noun))].join(' and '),
    shared: plans.some(({ shared }) => shared),
    count: (split) => sum(plans.map((plan) => plan.count(split))),
    choose: ({ split, seed, episode }) => {
      const member =
        episode === undefined
          ? Rng.forPurpose(seed, 'mixture').integer(0, members.length - 1)
          : episode % members.length;
      const own = episode === undefined ? undefined : Math.floor(episode / members.length);
      const { reset: memberReset, item } = plans[member].choose({ split, seed, episode: own });
      const { label } = members[member];
      return {
        reset: { seed, member, memberReset },
        item: typeof item === 'string' ? `${label} ${item}` : (info) => `${label} ${item(info)}`,
      };
    },
  };
}

function memberProblems({ name, options }: Member) {
  if (name === 'mixture')
    return [
      { key: 'env.envs', message: 'env.envs: a mixture cannot be part of a mixture', remedy: 'list its environments' },
    ];
  const { oracle = 'rules' } = options as { oracle?: string };
  if (oracle === 'rules') return [];
  const message = `env.envs: ${name} has oracle=${oracle}, and a mixture has the oracle 'rules' alone`;
  return [{ key: 'env.envs', message, remedy: 'leave oracle out, or play this environment in a run of its own' }];
}

function withoutExpert(members: readonly Member[], registry: Members): string | null {
  for (const one of members) {
    const { demonstrations } = registry.unit(one.name);
    if (demonstrations === undefined) return `${one.name} has no demonstrations of its own, so the mixture has none`;
    const problem = demonstrations.problem?.(registry.options(one)) ?? null;
    if (problem !== null) return problem;
  }
  return null;
}

/** Returns equally many demonstrations of each member. Options of experts that are not in `ExpertKeys` have their defaults. */
async function mixedDemonstrations(
  members: readonly Member[],
  { count, seed, split, ...chosen }: DemonstrationRequest & ExpertKeys,
  registry: Members,
): Promise<DemonstrationSet> {
  const sets: DemonstrationSet[] = [];
  for (const one of members) {
    const { demonstrations: source } = registry.unit(one.name);
    const defaults = Object.entries(source!.schema.properties).map(([key, { default: value }]) => [key, value]);
    const own = Object.fromEntries(defaults) as Record<string, unknown>;
    const share = Math.ceil(count / members.length);
    sets.push(
      await source!.make(registry.options(one), {
        ...own,
        ...Object.fromEntries(Object.entries(chosen).filter(([key]) => key in own)),
        count: share,
        seed,
        split,
      }),
    );
  }
  const demonstrations = sets.flatMap((set) => set.demonstrations);
  const records = sets.flatMap((set) => set.records ?? set.demonstrations);
  return {
    demonstrations,
    summary: sets.map(({ summary }, i) => `${members[i].label}: ${summary}`).join('; '),
    ...(records.length > 0 && { records }),
    file: {
      name: 'demonstrations.jsonl',
      text: () => (records.length > 0 ? records : demonstrations).map((one) => `${JSON.stringify(one)}\n`).join(''),
    },
  };
}
