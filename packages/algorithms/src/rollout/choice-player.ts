// Lets a language model choose among the valid actions, in one of these ways:
//
//     scored       p(a) ∝ exp(log π(a | s) / T) over the valid actions a, each with its terminator
//     likelihood   as scored, but without the terminator, and after a space where the observation does not end with one:
//                  lm-evaluation-harness's `acc` of multiple choice (EleutherAI, lm_eval/api/task.py)
//     likelihood_per_character  log π(a | s) divided by the characters of the action: lm-evaluation-harness's `acc_norm`
//     constrained  token by token, π over the tokens that continue a valid action: cheaper, but it prefers actions with a likely
//                  beginning to actions that are likely as a whole
//
// Without a list of actions, the policy writes freely. Log-probabilities of a constrained utterance are those of the choice, at
// temperature 1 without truncation; the episodes contain the mask of each token, and training uses the same masks
// (docs/decisions/action-choice.md). Those of a scored utterance are the policy's own, so that only methods that imitate may use
// it.
import { maximum, Rng, spokenIds, tokenMaskOf, type TokenMask, type Utterance } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import {
  commonPrefix,
  type Episodes,
  type GeneratedUtterance,
  type LanguageModel,
  type SamplingOptions,
  type TokenExample,
} from '@bowyer/models';
import type { ActionChoice, Dialogue, Dialogues } from './dialogue.js';
import type { ActRequest, Player } from './player.js';
import { refuseBrokenPolicy, type TurnTokens } from './turn-tokens.js';

export interface ChoiceOptions {
  slots: number;
  sampling: SamplingOptions;
  dialogues: Dialogues;
}

/** A valid action with its tokens; the last token is the terminator. */
interface Candidate {
  action: string;
  ids: number[];
}

type Chosen = Utterance & Pick<GeneratedUtterance, 'contextTokens'>;

abstract class ChoicePlayer implements Player {
  readonly #dialogues: Dialogue[];
  /** [slots] all tokens that the slot's current episode has read and written. */
  readonly #contexts: number[][];
  /** The token that ends every chosen action. */
  readonly terminatorId: number;

  protected constructor(
    protected readonly policy: LanguageModel,
    protected readonly options: ChoiceOptions,
  ) {
    const { slots, sampling, dialogues } = options;
    this.#dialogues = Array.from({ length: slots }, () => dialogues.open());
    this.#contexts = Array.from({ length: slots }, () => []);
    // Chosen actions end with the terminator of the dialogues' chat template if there is one, else with that of the sampling
    // options.
    this.terminatorId = [...dialogues.terminatorIds, ...sampling.terminatorIds][0];
    if (this.terminatorId === undefined)
      throw new Error(
        'a choice among valid actions needs a token that ends an action: give sampling.eos_str or a tokenizer with one',
      );
  }

  async act(requests: ActRequest[]): Promise<(Required<Decision<TurnTokens>> | Error)[]> {
    const asked = requests.map((request) => {
      const context = this.#advance(request);
      const candidates = this.#candidates(request.validActions ?? [], context);
      return { request, candidates, context };
    });
    const able = asked.filter(({ candidates }) => candidates.length > 0);
    const chosen = new Map((await this.choose(able)).map((choice, i) => [able[i].request, choice]));
    const open = asked.filter(({ request }) => request.validActions?.length === 0);
    const written = new Map((await this.write(open)).map((utterance, i) => [open[i].request, utterance]));
    return asked.map(({ request, candidates, context }) => {
      const { slot, turn } = request;
      const utterance = written.get(request) ?? chosen.get(request);
      this.#contexts[slot] = [...context, ...(utterance ? spokenIds(utterance) : [])];
      if (utterance === undefined)
        return new Error(`there is no valid action that the policy can write (turn ${turn})`);
      const decision = this.#dialogues[slot].decide(utterance, utterance.contextTokens);
      if (written.has(request)) return decision;
      const said = utterance.ids.join();
      return { action: candidates.find(({ ids }) => ids.join() === said)!.action, data: decision.data };
    });
  }

  /** Adds a turn's observation to the slot's dialogue. @returns all tokens of its context */
  #advance(request: ActRequest): number[] {
    const before = this.#contexts[request.slot];
    const { keep, tokens } = this.#dialogues[request.slot].advance(request, before);
    return [...before.slice(0, keep), ...tokens];
  }

  /** Lists the valid actions that the policy can write. */
  #candidates(actions: readonly string[], context: readonly number[]): Candidate[] {
    const masked = new Set(this.policy.maskedTokenIds);
    const idsOf = this.encoder(context);
    return [...new Set(actions)]
      .map((action) => ({ action, ids: [...idsOf(action), this.terminatorId] }))
      .filter(({ ids }) => ids.length > 1 && !ids.slice(0, -1).some((id) => masked.has(id)));
  }

  protected encoder(_context: readonly number[]): (action: string) => number[] {
    return (action) => this.policy.tokenizer.encode(action);
  }

  /** Returns the most tokens that a context may have, so that the longest candidate still fits after it. */
  protected room(candidates: readonly Candidate[]): number {
    const longest = Math.max(this.options.sampling.maxNewTokens, maximum(candidates.map(({ ids }) => ids.length)));
    return this.policy.contextLength - longest + 1;
  }

  /** Chooses one of the valid actions for each request. */
  protected abstract choose(asked: readonly Asked[]): Promise<Chosen[]>;
  protected abstract write(asked: readonly Asked[]): Promise<Chosen[]>;

  /** Samples utterances freely, with the KV cache of `episodes`. */
  protected async writeIn(episodes: Episodes, asked: readonly Asked[]): Promise<Chosen[]> {
    if (asked.length === 0) return [];
    const turns = asked.map(({ request: { slot, rng }, context }) => ({
      slot,
      rng,
      tokens: feed(episodes, slot, context),
    }));
    const { sampling, dialogues } = this.options;
    const terminatorIds = [...new Set([...sampling.terminatorIds, ...dialogues.terminatorIds])];
    return episodes.act(turns, { ...sampling, terminatorIds });
  }

  abstract close(): Promise<void>;
}

interface Asked {
  request: ActRequest;
  candidates: readonly Candidate[];
  context: number[];
}

export class ScoredPlayer extends ChoicePlayer {
  /** The KV cache for turns in which the policy writes freely; null before the first. */
  #episodes: Episodes | null = null;

  constructor(
    policy: LanguageModel,
    options: ChoiceOptions,
    private readonly score: Exclude<ActionChoice, 'free' | 'constrained'>,
  ) {
    super(policy, options);
  }

  protected override encoder(context: readonly number[]): (action: string) => number[] {
    if (this.score === 'scored') return super.encoder(context);
    const { tokenizer } = this.policy;
    const before = tokenizer.decode(context.slice(-JOINED_TOKENS));
    const space = /\s$/.test(before) ? '' : ' ';
    const beforeIds = tokenizer.encode(before);
    // The action is encoded together with the preceding text, since its tokens can depend on that text.
    return (action) => {
      const ids = tokenizer.encode(`${before}${space}${action}`);
      return beforeIds.every((id, i) => ids[i] === id)
        ? ids.slice(beforeIds.length)
        : tokenizer.encode(`${space}${action}`);
    };
  }

  /** Computes the score of an action. @param logprobs [tokens] of the action, then of the terminator */
  #scoreOf(logprobs: Float32Array, action: string): number {
    if (this.score === 'scored') return sumOf(logprobs);
    const sum = sumOf(logprobs.subarray(0, -1));
    return this.score === 'likelihood' ? sum : sum / [...action].length;
  }

  protected async choose(asked: readonly Asked[]): Promise<Chosen[]> {
    const examples = asked.map(({ candidates, context }) => {
      const seen = context.slice(-this.room(candidates));
      return { seen, ofActions: candidates.map(({ ids }) => scoredExample(seen, ids)) };
    });
    const scored = await this.policy.logprobs(
      examples.flatMap(({ ofActions }) => ofActions),
      { sharesPrefixes: true },
    );
    let row = 0;
    return asked.map(({ request, candidates }, i) => {
      const contextTokens = examples[i].seen.length;
      const logprobs = candidates.map(({ ids }) =>
        scored[row++].slice(contextTokens - 1, contextTokens - 1 + ids.length),
      );
      for (const own of logprobs) refuseBrokenPolicy(own);
      const best = this.#draw(
        logprobs.map((own, k) => this.#scoreOf(own, candidates[k].action)),
        request.rng,
      );
      return { ids: candidates[best].ids, terminated: true, logprobs: [...logprobs[best]], contextTokens };
    });
  }

  protected async write(asked: readonly Asked[]): Promise<Chosen[]> {
    if (asked.length === 0) return [];
    this.#episodes ??= await this.policy.openEpisodes({ slots: this.options.slots });
    return this.writeIn(this.#episodes, asked);
  }

  /** Draws an action with probability ∝ exp(score / temperature), or takes the one with the highest score. @returns its index */
  #draw(scores: readonly number[], rng: Rng): number {
    const { greedy, temperature } = this.options.sampling;
    const largest = maximum(scores);
    if (greedy || temperature === 0) return scores.indexOf(largest);
    const weights = scores.map((score) => Math.exp((score - largest) / temperature));
    let rest = rng.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    const drawn = weights.findIndex((weight) => (rest -= weight) < 0);
    return drawn < 0 ? scores.indexOf(largest) : drawn;
  }

  async close(): Promise<void> {
    await this.#episodes?.close();
  }
}

/** The number of context tokens that are encoded together with an action. */
const JOINED_TOKENS = 16;

const sumOf = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0);

function scoredExample(seen: readonly number[], ids: readonly number[]): TokenExample {
  const all = [...seen, ...ids];
  const weights = new Float32Array(all.length - 1).fill(1, seen.length - 1);
  return { ids: Int32Array.from(all.slice(0, -1)), targets: Int32Array.from(all.slice(1)), weights };
}

export class ConstrainedPlayer extends ChoicePlayer {
  private constructor(
    policy: LanguageModel,
    options: ChoiceOptions,
    private readonly episodes: Episodes,
  ) {
    super(policy, options);
  }

  static async open(policy: LanguageModel, options: ChoiceOptions): Promise<ConstrainedPlayer> {
    return new ConstrainedPlayer(policy, options, await policy.openEpisodes({ slots: options.slots }));
  }

  /** Chooses actions token by token. The model does not run for a token that all remaining candidates share: its probability is 1. */
  protected async choose(asked: readonly Asked[]): Promise<Chosen[]> {
    const paths = asked.map(({ request: { slot, rng }, candidates, context }) => {
      const seen = context.slice(-this.room(candidates));
      return {
        slot,
        rng,
        seen,
        open: candidates,
        ids: [] as number[],
        logprobs: [] as number[],
        tokenMasks: [] as TokenMask[],
      };
    });
    type Path = (typeof paths)[number];
    const say = (path: Path, token: number, logprob: number, allowed: number[]) => {
      path.open = path.open.filter(({ ids }) => ids[path.ids.length] === token);
      path.ids.push(token);
      path.logprobs.push(logprob);
      path.tokenMasks.push(tokenMaskOf(allowed));
    };
    const isDone = ({ ids }: Path) => ids.at(-1) === this.terminatorId;
    let active = paths;
    while (active.length > 0) {
      const asking = active.flatMap((path) => {
        let allowed = nextIds(path);
        for (; allowed.length === 1 && !isDone(path); allowed = nextIds(path)) say(path, allowed[0], 0, allowed);
        return isDone(path) ? [] : [{ path, allowed }];
      });
      const turns = asking.map(({ path: { slot, rng, seen, ids }, allowed }) => ({
        slot,
        rng,
        tokenMask: tokenMaskOf(allowed),
        tokens: feed(this.episodes, slot, [...seen, ...ids]),
      }));
      const { sampling } = this.options;
      const how = { ...sampling, maxNewTokens: 1, terminatorIds: [this.terminatorId], masksTokens: true };
      const utterances = await this.episodes.act(turns, how);
      asking.forEach(({ path, allowed }, i) => {
        const { ids, maskedLogprobs } = utterances[i];
        refuseBrokenPolicy(maskedLogprobs!);
        say(path, ids[0], maskedLogprobs![0], allowed);
      });
      active = asking.map(({ path }) => path).filter((path) => !isDone(path));
    }
    return paths.map(({ ids, logprobs, tokenMasks, seen }) => ({
      ids,
      terminated: true,
      logprobs,
      tokenMasks,
      contextTokens: seen.length,
    }));
  }

  protected write(asked: readonly Asked[]): Promise<Chosen[]> {
    return this.writeIn(this.episodes, asked);
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}

/** Truncates a slot's KV cache to the tokens that it has in common with `context`. @returns the remaining tokens of the context */
function feed(episodes: Episodes, slot: number, context: readonly number[]): number[] {
  const keep = commonPrefix(episodes.context(slot), context);
  episodes.truncate(slot, keep);
  return context.slice(keep);
}

const nextIds = ({ open, ids }: { open: readonly Candidate[]; ids: readonly number[] }): number[] => [
  ...new Set(open.map((candidate) => candidate.ids[ids.length])),
];
