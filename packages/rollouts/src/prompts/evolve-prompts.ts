// GEPA: prompts are changed one text at a time by a model that reads what happened with them, and a change is kept where it scores
// better on the same tasks. A pool of candidates is kept, of which each is best at some task, so that no single one decides.
// Source: Agrawal et al. 2025, arXiv:2507.19457, algorithm 1:
//
//     k ← a candidate of the Pareto front; j ← its next text; M ← a minibatch of the feedback tasks
//     π′ ← Φ_k with text j rewritten by the reflector, who reads what Φ_k did on M
//     if the scores of Φ_k with π′ on M sum to more than those of Φ_k: score it on all selection tasks, and add it to the pool
//
// Differs from it: dominated candidates are those that another is nowhere worse and somewhere better than; a merge is tried after each
// candidate that was added, up to `merges`.
import { maximum, mean, Rng } from '@bowyer/core';
import { bestCandidate, chooseParent, mergeOf, samePrompts, type Candidate, type Prompts } from './candidates.js';

/** What an agent did on one task. */
export interface Trial {
  score: number;
  /** What happened, for the reflector: the dialogue, what the judge said, an error. */
  feedback: string;
}

export interface EvolutionOptions {
  seed: number;
  /** Rollouts of the agent after which no further iteration begins. */
  budget: number;
  /** Feedback tasks of an iteration. */
  minibatchSize: number;
  /** Most merges of two candidates. */
  merges: number;
  /** A minibatch whose scores all reach it shows nothing to mend; null: there is no such score. */
  perfectScore: number | null;
}

export interface EvolutionParts<Task> {
  seedPrompts: Prompts;
  feedbackTasks: readonly Task[];
  selectionTasks: readonly Task[];
  /** Runs the agent with these prompts, once on each of the tasks. @returns [tasks] */
  evaluate(prompts: Prompts, tasks: readonly Task[]): Promise<Trial[]>;
  /** @returns a new text for a place */
  reflect(place: string, prompts: Prompts, tried: readonly { task: Task; trial: Trial }[]): Promise<string>;
  /** Called with the whole state after each iteration: evolution continues from it. */
  onIteration(state: EvolutionState, report: IterationReport): Promise<void>;
  /** Whether the user asks to stop: it ends after the iteration that is under way. */
  stopRequested?(): boolean;
}

/** Plain JSON. */
export interface EvolutionState {
  /** The number of ended iterations. */
  iterations: number;
  rollouts: number;
  merges: number;
  candidates: Candidate[];
  /** [candidates] how often a text of each was rewritten: which text is next. */
  rewritten: number[];
}

/** `unchanged`: the reflector's text was known; `perfect`: nothing to mend; `worse`: not better on the minibatch. */
export interface IterationReport {
  outcome: 'added' | 'worse' | 'unchanged' | 'perfect';
  parent: number;
  place: string;
  /** Mean scores on the same tasks, before the change and after it; null where none was tried. */
  before: number;
  after: number | null;
  /** What became of a merge that was tried after it. */
  merge?: MergeReport;
}

export interface MergeReport {
  parents: readonly number[];
  /** Mean scores on the selection tasks: of the better parent, and of the merge. */
  before: number;
  after: number;
  isKept: boolean;
}

/** @param state where an earlier evolution with the same options and parts has ended; null: from the beginning */
export async function evolvePrompts<Task>(
  parts: EvolutionParts<Task>,
  options: EvolutionOptions,
  state: EvolutionState | null,
): Promise<EvolutionState> {
  const evolution = new Evolution(parts, options, state ?? (await firstState(parts)));
  while (evolution.state.rollouts < options.budget && !parts.stopRequested?.()) await evolution.iterate();
  return evolution.state;
}

async function firstState<Task>({
  seedPrompts,
  selectionTasks,
  evaluate,
}: EvolutionParts<Task>): Promise<EvolutionState> {
  const trials = await evaluate(seedPrompts, selectionTasks);
  const candidates = [{ prompts: seedPrompts, parents: [], scores: trials.map(({ score }) => score) }];
  return { iterations: 0, rollouts: trials.length, merges: 0, candidates, rewritten: [0] };
}

class Evolution<Task> {
  constructor(
    private readonly parts: EvolutionParts<Task>,
    private readonly options: EvolutionOptions,
    readonly state: EvolutionState,
  ) {}

  async iterate(): Promise<void> {
    const { state, parts } = this;
    const report = await this.#mutate(Rng.forPurpose(this.options.seed, `prompts/${state.iterations}`));
    state.iterations++;
    await parts.onIteration(state, report);
  }

  async #mutate(rng: Rng): Promise<IterationReport> {
    const { state, parts, options } = this;
    const parent = chooseParent(state.candidates, rng);
    const { prompts } = state.candidates[parent];
    const places = Object.keys(prompts);
    const place = places[state.rewritten[parent]++ % places.length];
    const tasks = this.#minibatch();
    const trials = await this.#evaluate(prompts, tasks);
    const before = mean(trials.map(({ score }) => score));
    const nothing = { parent, place, before, after: null };
    const { perfectScore } = options;
    if (perfectScore !== null && trials.every(({ score }) => score >= perfectScore))
      return { ...nothing, outcome: 'perfect' };
    const text = await parts.reflect(
      place,
      prompts,
      tasks.map((task, i) => ({ task, trial: trials[i] })),
    );
    const changed = { ...prompts, [place]: text };
    if (this.#isKnown(changed)) return { ...nothing, outcome: 'unchanged' };
    const after = mean((await this.#evaluate(changed, tasks)).map(({ score }) => score));
    if (after <= before) return { ...nothing, after, outcome: 'worse' };
    await this.#add(changed, [parent]);
    const merge = state.merges < options.merges ? await this.#merge(rng) : null;
    return { ...nothing, after, outcome: 'added', ...(merge && { merge }) };
  }

  /** A merge is kept where it is at least as good as the better of its parents on the selection tasks. */
  async #merge(rng: Rng): Promise<MergeReport | null> {
    const { state, parts } = this;
    const merge = mergeOf(state.candidates, rng);
    if (merge === null) return null;
    state.merges++;
    const scores = (await this.#evaluate(merge.prompts, parts.selectionTasks)).map(({ score }) => score);
    const before = maximum(merge.parents.map((k) => mean(state.candidates[k].scores)));
    const after = mean(scores);
    const isKept = after >= before;
    if (isKept) this.#keep({ ...merge, scores });
    return { parents: merge.parents, before, after, isKept };
  }

  /** Each pass over the feedback tasks has an order of its own. */
  #minibatch(): Task[] {
    const { feedbackTasks } = this.parts;
    const { seed, minibatchSize } = this.options;
    const size = Math.min(minibatchSize, feedbackTasks.length);
    const each = Math.floor(feedbackTasks.length / size);
    const pass = Math.floor(this.state.iterations / each);
    const start = (this.state.iterations % each) * size;
    return Rng.forPurpose(seed, `feedback/${pass}`)
      .shuffle(feedbackTasks)
      .slice(start, start + size);
  }

  #isKnown(prompts: Prompts): boolean {
    return this.state.candidates.some((known) => samePrompts(known.prompts, prompts));
  }

  async #add(prompts: Prompts, parents: readonly number[]): Promise<void> {
    const trials = await this.#evaluate(prompts, this.parts.selectionTasks);
    this.#keep({ prompts, parents, scores: trials.map(({ score }) => score) });
  }

  #keep(candidate: Candidate): void {
    this.state.candidates.push(candidate);
    this.state.rewritten.push(0);
  }

  async #evaluate(prompts: Prompts, tasks: readonly Task[]): Promise<Trial[]> {
    const trials = await this.parts.evaluate(prompts, tasks);
    this.state.rollouts += trials.length;
    return trials;
  }
}

/** The prompts with the highest mean score on the selection tasks. */
export function bestPrompts({ candidates }: EvolutionState): Candidate {
  return candidates[bestCandidate(candidates)];
}
