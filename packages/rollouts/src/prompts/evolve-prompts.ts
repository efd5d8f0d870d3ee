// Evolves an agent's prompts by GEPA: a model (the reflector) reads dialogues that the prompts led to and rewrites one prompt text
// at a time. A change is kept if it scores better on the same tasks. The pool keeps every candidate (a set of prompts) that is the
// best on some task. Source: Agrawal et al. 2025, arXiv:2507.19457, algorithm 1, where Φ_k is the agent with the prompts of
// candidate k:
//
//     k ← a candidate of the Pareto front; j ← its next text; M ← a minibatch of the feedback tasks
//     π′ ← Φ_k with text j rewritten by the reflector, which reads what Φ_k did on M
//     if the scores of Φ_k with π′ on M sum to more than those of Φ_k: score it on all selection tasks, and add it to the pool
//
// Differences from the source: a candidate is dominated if another one is on no task worse and on some task better; after each
// added candidate, a merge of two candidates is tried, at most `merges` times.
import { maximum, mean, Rng } from '@bowyer/core';
import { bestCandidate, chooseParent, mergeOf, samePrompts, type Candidate, type Prompts } from './candidates.js';

/** The result of running the agent once on a task. */
export interface Trial {
  /** A text that describes the task, which the reflector (the model that rewrites prompts) reads. */
  task: string;
  score: number;
  /** The text that the reflector reads about this run: the dialogue, the judge's explanation, an error. */
  feedback: string;
}

export interface EvolutionOptions {
  seed: number;
  /** The number of rollouts after which no further iteration begins. The current iteration may exceed it. */
  budget: number;
  /** The number of feedback tasks on which a change is tried in each iteration. */
  minibatchSize: number;
  merges: number;
  /** The highest score of a task: an iteration is skipped if all scores of the minibatch reach it. Null: unknown. */
  perfectScore: number | null;
  /** The largest number of successive iterations in which the reflector may fail to write a text. */
  mostWithoutText: number;
}

/**
 * The tasks on which prompts are tried: either `count` feedback tasks, beginning with the one of number `first` in an endless
 * sequence that reorders the tasks in each pass over them, or all selection tasks.
 */
export type TrialSet = { kind: 'feedback'; first: number; count: number } | { kind: 'selection' };

export interface EvolutionParts {
  seedPrompts: Prompts;
  /** Runs the agent once on each task. Other prompts get the same random numbers. @returns [tasks] the results */
  evaluate(prompts: Prompts, set: TrialSet): Promise<Trial[]>;
  /** Returns a new text for one prompt; null if the reflector's answer contains none. @param place the prompt's name */
  reflect(place: string, prompts: Prompts, trials: readonly Trial[]): Promise<string | null>;
  /** Receives the complete state after each iteration, from which the evolution can be continued. */
  onIteration(state: EvolutionState, report: IterationReport): Promise<void>;
  /** Returns whether the user asks to stop; the current iteration is finished nevertheless. */
  stopRequested?(): boolean;
}

/** The state of an evolution as plain JSON, from which it can be continued. */
export interface EvolutionState {
  /** The number of finished iterations. */
  iterations: number;
  rollouts: number;
  merges: number;
  candidates: Candidate[];
  /** [candidates] the number of texts rewritten in each one so far, which decides which text is rewritten next. */
  rewritten: number[];
  /** The number of successive iterations up to now in which the reflector wrote no text; 0 if absent. */
  withoutText?: number;
}

export interface IterationReport {
  /**
   * The result of the iteration. `no text`: the reflector wrote no new text; `unchanged`: its text was already known; `perfect`:
   * all scores were already perfect; `worse`: the change was not better on the minibatch.
   */
  outcome: 'added' | 'worse' | 'unchanged' | 'perfect' | 'no text';
  parent: number;
  place: string;
  /** The mean scores on the minibatch before and after the change; `after` is null if no change was tried. */
  before: number;
  after: number | null;
  /** The result of a merge of two candidates that was tried after the change. */
  merge?: MergeReport;
}

interface MergeReport {
  parents: readonly number[];
  /** The mean scores on the selection tasks: `before` of the better of the two merged candidates, `after` of the merge. */
  before: number;
  after: number;
  isKept: boolean;
}

/**
 * Evolves an agent's prompts until the budget of rollouts is spent.
 *
 * @param state the last state of an earlier evolution with the same options and parts; null for a new one
 * @throws if the reflector has written no text in more than `mostWithoutText` iterations in a row
 */
export async function evolvePrompts(
  parts: EvolutionParts,
  options: EvolutionOptions,
  state: EvolutionState | null,
): Promise<EvolutionState> {
  const evolution = new Evolution(parts, options, state ?? (await firstState(parts)));
  while (evolution.state.rollouts < options.budget && !parts.stopRequested?.()) await evolution.iterate();
  return evolution.state;
}

async function firstState({ seedPrompts, evaluate }: EvolutionParts): Promise<EvolutionState> {
  const scores = (await evaluate(seedPrompts, { kind: 'selection' })).map(({ score }) => score);
  const candidates = [{ prompts: seedPrompts, parents: [], scores }];
  return { iterations: 0, rollouts: scores.length, merges: 0, candidates, rewritten: [0] };
}

class Evolution {
  constructor(
    private readonly parts: EvolutionParts,
    private readonly options: EvolutionOptions,
    readonly state: EvolutionState,
  ) {}

  async iterate(): Promise<void> {
    const { state, parts } = this;
    const report = await this.#mutate(Rng.forPurpose(this.options.seed, `prompts/${state.iterations}`));
    state.iterations++;
    if (report.outcome === 'no text') state.withoutText = (state.withoutText ?? 0) + 1;
    else if (report.outcome !== 'perfect') state.withoutText = 0; // the reflector is not called in a perfect iteration
    await parts.onIteration(state, report);
    this.#checkReflector();
  }

  #checkReflector(): void {
    const { withoutText = 0 } = this.state;
    if (withoutText <= this.options.mostWithoutText) return;
    throw new Error(
      `the reflector has written no text between two lines of three backticks in ${withoutText} iterations in a row\n` +
        '  name a model that follows instructions as the reflector (reflector.model), or give it more room (reflector.max_tokens)',
    );
  }

  async #mutate(rng: Rng): Promise<IterationReport> {
    const { state, parts, options } = this;
    const parent = chooseParent(state.candidates, rng);
    const { prompts } = state.candidates[parent];
    const places = Object.keys(prompts);
    const place = places[state.rewritten[parent]++ % places.length];
    const { minibatchSize: count, perfectScore, merges } = options;
    const minibatch: TrialSet = { kind: 'feedback', first: state.iterations * count, count };
    const trials = await this.#evaluate(prompts, minibatch);
    const before = mean(trials.map(({ score }) => score));
    const nothing = { parent, place, before, after: null };
    if (perfectScore !== null && trials.every(({ score }) => score >= perfectScore))
      return { ...nothing, outcome: 'perfect' };
    const text = await parts.reflect(place, prompts, trials);
    if (text === null) return { ...nothing, outcome: 'no text' };
    const changed = { ...prompts, [place]: text };
    if (this.#isKnown(changed)) return { ...nothing, outcome: 'unchanged' };
    const after = mean((await this.#evaluate(changed, minibatch)).map(({ score }) => score));
    if (after <= before) return { ...nothing, after, outcome: 'worse' };
    await this.#add(changed, [parent]);
    const merge = state.merges < merges ? await this.#merge(rng) : null;
    return { ...nothing, after, outcome: 'added', ...(merge && { merge }) };
  }

  /** Tries a merge of two candidates. It is kept if it is at least as good as the better of them on the selection tasks. */
  async #merge(rng: Rng): Promise<MergeReport | null> {
    const { state } = this;
    const merge = mergeOf(state.candidates, rng);
    if (merge === null) return null;
    state.merges++;
    const scores = (await this.#evaluate(merge.prompts, { kind: 'selection' })).map(({ score }) => score);
    const before = maximum(merge.parents.map((k) => mean(state.candidates[k].scores)));
    const after = mean(scores);
    const isKept = after >= before;
    if (isKept) this.#keep({ ...merge, scores });
    return { parents: merge.parents, before, after, isKept };
  }

  #isKnown(prompts: Prompts): boolean {
    return this.state.candidates.some((known) => samePrompts(known.prompts, prompts));
  }

  async #add(prompts: Prompts, parents: readonly number[]): Promise<void> {
    const trials = await this.#evaluate(prompts, { kind: 'selection' });
    this.#keep({ prompts, parents, scores: trials.map(({ score }) => score) });
  }

  #keep(candidate: Candidate): void {
    this.state.candidates.push(candidate);
    this.state.rewritten.push(0);
  }

  async #evaluate(prompts: Prompts, set: TrialSet): Promise<Trial[]> {
    const trials = await this.parts.evaluate(prompts, set);
    this.state.rollouts += trials.length;
    return trials;
  }
}

/** Returns the prompts with the highest mean score on the selection tasks. */
export function bestPrompts({ candidates }: EvolutionState): Candidate {
  return candidates[bestCandidate(candidates)];
}
