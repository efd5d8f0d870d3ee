// Plays episodes of an environment's expert, on which policies are trained by supervised learning before RL.
import {
  demonstrationSetOf,
  fraction,
  recordOf,
  Rng,
  type DemonstrationSet,
  type InformedTransition,
} from '@bowyer/core';
import { contextParts } from './context/context-options.js';
import { checkedEnv } from './contract/checked-env.js';
import type { Env } from './contract/env.js';
import { shown } from './contract/shown.js';
import { expertItems, type SplitPlan } from './splits.js';
import type { DemonstrationRequest } from './unit.js';
import { options, type OptionsOf } from './option.js';

export const expertNoiseSchema = options({
  noise: fraction(0.5, "Share of the expert's turns that are random."),
});

/** The options of an expert that decides its actions one at a time. */
export type ExpertNoise = OptionsOf<typeof expertNoiseSchema>;

export interface PlayedDemonstrationOptions extends ExpertNoise, Partial<ExpertSlips & ExpertStrays> {
  episodes: number;
  seed: number;
  split?: DemonstrationRequest['split'];
}

/** Converts a request for demonstrations to the options of an expert that decides its actions one at a time. */
export const playedOptions = ({
  count: episodes,
  noise,
  seed,
  slips = 0,
  strays = 0,
  split,
}: DemonstrationRequest & ExpertNoise & Partial<ExpertSlips & ExpertStrays>): PlayedDemonstrationOptions => ({
  episodes,
  noise,
  seed,
  slips,
  strays,
  split,
});

/** The keys of a step's `info` that demonstrations store: `won`, and parts of the agent's text except the constant task. */
const keptOfSteps = [...contextParts.filter((part) => part !== 'taskDescription'), 'won'];

/** Makes a set of demonstrations, stored as JSON lines, with the parts that the agent's text may show, the item, and `won`. */
export const playedSet = (episodes: readonly (readonly InformedTransition[])[]): DemonstrationSet =>
  demonstrationSetOf(episodes.map((turns) => recordOf(turns, { reset: [...contextParts, 'item'], step: keptOfSteps })));

/** An expert of one environment, with best and random actions. It may read `info`, which policies must not do. */
export interface Demonstrator {
  /** Receives the `info` of each reset. */
  begin?: (info: Record<string, unknown>) => void;
  /** Returns the expert's best action; null if the expert knows none, which ends the episode. */
  best: (info: Record<string, unknown>, rng: Rng) => string | null;
  random: (info: Record<string, unknown>, rng: Rng) => string;
  /** Returns the actions that the expert has planned after the last result of `best`. */
  later?: () => readonly string[];
  /** Returns the reply that contains an action, as the demonstration shows it; default: the action itself. */
  reply?: (action: string) => string;
  /** Returns the actions of a mistake, which are all played before `best` is called again. Default: one invalid action. */
  mistakes?: (rng: Rng) => readonly { action: string; reply: string }[];
}

/** Plays one episode of an environment and records its transitions. */
export class EpisodeRecorder {
  readonly transitions: InformedTransition[] = [];
  ended = false;

  private constructor(
    private readonly env: Env,
    private observation: string,
    public info: Record<string, unknown>,
  ) {}

  static async begin(env: Env, options: Parameters<Env['reset']>[0]): Promise<EpisodeRecorder> {
    const { observation, info } = await env.reset(options);
    return new EpisodeRecorder(env, observation, info);
  }

  /** Plays an action, unless the episode has ended. @param slip a deliberate mistake @param written the reply that is shown */
  async play(action: string, slip?: true, written = action): Promise<void> {
    if (this.ended) return;
    const { observation, info } = this;
    const { observation: nextObservation, info: nextInfo, reward, terminated, truncated } = await this.env.step(action);
    const end = { terminated, truncated, ...(slip && { slip }) };
    this.transitions.push({ observation, info, action: written, reward, nextObservation, nextInfo, ...end });
    [this.observation, this.info, this.ended] = [nextObservation, nextInfo, terminated || truncated];
  }
}

/**
 * Plays the expert's episodes, with random actions and deliberate mistakes as the options say, and closes the environment.
 * Episode i has the i-th seed of the random stream that `seed` begins.
 */
export async function playDemonstrations(
  given: Env,
  { begin, best, random, later, reply, mistakes }: Demonstrator,
  { episodes, noise, seed, slips: slipShare = 0, strays: strayShare = 0 }: PlayedDemonstrationOptions,
): Promise<InformedTransition[][]> {
  const env = checkedEnv(given);
  const rng = Rng.forPurpose(seed, 'played demonstrations');
  const slips = new Slips(slipShare, seed);
  const strayRng = Rng.forPurpose(seed, 'strays');
  const mistakeRng = Rng.forPurpose(seed, 'mistakes');
  const played: InformedTransition[][] = [];
  try {
    for (let i = 0; i < episodes; i++) {
      const episode = await EpisodeRecorder.begin(env, { seed: rng.uint32() });
      begin?.(episode.info);
      const play = (action: string, slip?: true) => episode.play(action, slip, reply?.(action));
      while (!episode.ended) {
        if (strayShare > 0 && strayRng.uniform() < strayShare) await play(random(episode.info, strayRng), true);
        if (episode.ended) break;
        let action = rng.uniform() < noise ? random(episode.info, rng) : best(episode.info, rng);
        if (action === null) break;
        if (typeof action !== 'string')
          throw new TypeError(`an expert must say a text, or null where it knows no further; got ${shown(action)}`);
        const slip = slips.before(action, episode.info.validActions as readonly string[], later?.());
        if (slip !== null && mistakes) {
          for (const mistake of mistakes(mistakeRng)) await episode.play(mistake.action, true, mistake.reply);
          if (episode.ended) break;
          action = best(episode.info, rng)!;
        } else if (slip !== null) await play(slip, true);
        await play(action);
      }
      played.push(episode.transitions);
    }
  } finally {
    await env.close();
  }
  return played;
}

/** Plays the expert steps that the tasks of a file contain. @param plan the splits of those tasks that contain expert steps */
export async function taskDemonstrations(
  env: Env & { expertReply(): string | null },
  plan: SplitPlan,
  { count, seed, split }: DemonstrationRequest,
): Promise<DemonstrationSet> {
  const player = {
    best: () => env.expertReply(),
    random: () => {
      throw new Error('an expert of a task plays its own steps alone');
    },
  };
  return playedSet(
    await playDemonstrations(expertItems(env, plan, split), player, { episodes: count, seed, noise: 0 }),
  );
}

export const expertStraysSchema = options({
  strays: fraction(
    0,
    'Chance before each turn of a random valid action that is not imitated; the continuation of the expert from there is imitated (noise injected into the supervisor, as in DART, Laskey et al. 2017).',
  ),
});

/** The options of an expert that can continue from any state, so that random actions (strays) can precede its actions. */
export type ExpertStrays = OptionsOf<typeof expertStraysSchema>;

export const expertSlipsSchema = options({
  slips: fraction(
    0,
    'Chance before each turn of trying an action that is not valid then. The action is not imitated; the turn after it is. It comes too early, contains a word of another action, or belongs to another game.',
  ),
});

/** The options of an expert that plans whole episodes, with invalid actions (slips) inserted before planned actions. */
export type ExpertSlips = OptionsOf<typeof expertSlipsSchema>;

/** The options of demonstrations from planned episodes. Episode i has the seed firstSeed + i. */
export interface PlannedDemonstrationOptions extends ExpertSlips {
  episodes: number;
  firstSeed: number;
  split?: DemonstrationRequest['split'];
}

/** Converts a request to options. The seeds lie far from those of rollouts, so that the episodes are different. */
export const plannedOptions = ({
  count: episodes,
  seed,
  slips,
  split,
}: DemonstrationRequest & ExpertSlips): PlannedDemonstrationOptions => ({
  episodes,
  slips,
  split,
  firstSeed: 1_000_000 + seed * 100_003,
});

/** The number of the expert's latest actions from which an invalid action may be drawn. */
const REMEMBERED_ACTIONS = 200;

/**
 * Draws deliberate mistakes (slips), after which a demonstration shows the recovery. They are invalid actions: later actions of
 * the plan that are not possible yet, the next action with one word of another, and actions from other states.
 */
export class Slips {
  readonly #rng: Rng;
  readonly #said: string[] = [];

  constructor(
    private readonly share: number,
    seed: number,
  ) {
    this.#rng = Rng.forPurpose(seed, 'slips');
  }

  /** Returns an invalid action to try before `action`, or null. @param later the planned actions after it, if known */
  before(action: string, validActions: readonly string[], later: readonly string[] = []): string | null {
    if (this.share === 0) return null;
    this.#said.push(action);
    if (this.#said.length > REMEMBERED_ACTIONS) this.#said.shift();
    if (this.#rng.uniform() >= this.share) return null;
    const elsewhere = this.#rng.choice(this.#said);
    const early = later.length > 0 ? [this.#rng.choice(later)] : [];
    const slip = this.#rng.choice([...early, this.#withWordOf(action, elsewhere), elsewhere]);
    return slip === action || validActions.includes(slip) ? null : slip;
  }

  #withWordOf(action: string, other: string): string {
    const words = action.split(' ');
    words[this.#rng.integer(0, words.length - 1)] = this.#rng.choice(other.split(' '));
    return words.join(' ');
  }
}

/** Plays the planned actions of each episode, and closes the environment. Episodes without a plan are left out. */
export async function playPlans(
  given: Env,
  plan: (seed: number) => readonly string[] | null,
  { episodes, firstSeed, slips: share }: Omit<PlannedDemonstrationOptions, 'split'>,
): Promise<InformedTransition[][]> {
  const env = checkedEnv(given);
  const slips = new Slips(share, firstSeed);
  const played: InformedTransition[][] = [];
  try {
    for (let seed = firstSeed; seed < firstSeed + episodes; seed++) {
      const episode = await EpisodeRecorder.begin(env, { seed });
      const actions = plan(seed);
      if (actions === null) continue;
      for (const [turn, action] of actions.entries()) {
        const slip = slips.before(action, episode.info.validActions as readonly string[], actions.slice(turn + 1));
        if (slip !== null) await episode.play(slip, true);
        await episode.play(action);
        if (episode.ended) break;
      }
      // Mistakes cost turns: an episode that the turn limit has truncated is left out, although its plan would succeed.
      if (share === 0 || !episode.transitions.at(-1)!.truncated) played.push(episode.transitions);
    }
  } finally {
    await env.close();
  }
  return played;
}
