// Computes exact values of the states of a tabular game by dynamic programming (Sutton and Barto 2018, equations 4.4 and 4.10),
// and policies from these values.
import { maximum } from '@bowyer/core';
import { actionsOf, type Outcome, type TabularModel, type TabularPolicy } from './model.js';

export interface ExactOptions {
  /** The discount factor of a step, from 0 to 1. */
  gamma: number;
  /**
   * The number of steps after which rewards do not count. Default: infinity, as for a critic that bootstraps at the turn limit.
   */
  horizon?: number;
}

/** Expected discounted returns: `v` by state, `q` by state and action. */
export interface ExactValues {
  v: Record<string, number>;
  q: Record<string, Record<string, number>>;
}

/** The iteration over an infinite horizon ends when no value changes by more than this. */
const CONVERGED = 1e-13;

/** Computes Q^π and V^π of a policy π: V(s) = Σ_a π(a | s) Q(s, a), Q(s, a) = Σ p · (r + γ V(s′)). */
export function exactValues(model: TabularModel, policy: TabularPolicy, options: ExactOptions): ExactValues {
  return iterate(model, options, (state, q) =>
    Object.entries(policy[state]).reduce((sum, [action, probability]) => sum + probability * q[action], 0),
  );
}

/** Computes Q* and V* of the optimal policy: V(s) = max_a Q(s, a). */
export const optimalValues = (model: TabularModel, options: ExactOptions): ExactValues =>
  iterate(model, options, (_, q) => maximum(Object.values(q)));

/** Returns the expected value at the beginning of an episode, over the distribution of first states. */
export const startValue = ({ start }: TabularModel, { v }: Pick<ExactValues, 'v'>): number =>
  Object.entries(start).reduce((sum, [state, probability]) => sum + probability * v[state], 0);

/** Returns the policy that takes a best action with probability 1 − ε and a uniformly random one with probability ε. */
export function epsilonGreedy(model: TabularModel, { q }: Pick<ExactValues, 'q'>, epsilon: number): TabularPolicy {
  const actions = actionsOf(model);
  const chances = (ofState: Record<string, number>) => {
    const best = actions.reduce((one, other) => (ofState[other] > ofState[one] ? other : one));
    return Object.fromEntries(
      actions.map((action) => [action, epsilon / actions.length + (action === best ? 1 - epsilon : 0)]),
    );
  };
  return Object.fromEntries(Object.entries(q).map(([state, ofState]) => [state, chances(ofState)]));
}

function iterate(
  { states }: TabularModel,
  { gamma, horizon = Infinity }: ExactOptions,
  valueOf: (state: string, q: Record<string, number>) => number,
): ExactValues {
  let values: ExactValues = { v: mapValues(states, () => 0), q: {} };
  for (let step = 0; step < horizon; step++) {
    const expected = (outcomes: readonly Outcome[]) =>
      outcomes.reduce(
        (sum, { probability, reward, next }) =>
          sum + probability * (reward + (next === null ? 0 : gamma * values.v[next])),
        0,
      );
    const q = mapValues(states, (actions) => mapValues(actions, expected));
    const v = mapValues(q, (ofState, state) => valueOf(state, ofState));
    const change = maximum(Object.keys(v).map((state) => Math.abs(v[state] - values.v[state])));
    values = { v, q };
    if (change < CONVERGED) break;
  }
  return values;
}

const mapValues = <From, To>(record: Readonly<Record<string, From>>, to: (value: From, key: string) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value, key)])) as Record<string, To>;
