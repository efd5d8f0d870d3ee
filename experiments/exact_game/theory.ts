// The policy that a method converges to with endless data, an exact critic and a table for a policy: by dynamic programming on the
// game's own table.
import { maximum, minimum } from '@bowyer/core';
import { exactValues, startValue, type ExactValues, type TabularModel, type TabularPolicy } from '@bowyer/envs';

type Table = Record<string, Record<string, number>>;

const mapTable = <T extends Table>(table: T, to: (value: number, state: string, action: string) => number): Table =>
  Object.fromEntries(
    Object.entries(table).map(([state, row]) => [
      state,
      Object.fromEntries(Object.entries(row).map(([action, value]) => [action, to(value, state, action)])),
    ]),
  );

/** Rows that sum to 1. */
const normalised = (table: Table): TabularPolicy =>
  mapTable(table, (value, state) => value / Object.values(table[state]).reduce((sum, other) => sum + other, 0));

/** Undiscounted return of a policy within a limit of steps. */
export const returnOf = (model: TabularModel, policy: TabularPolicy, horizon: number): number =>
  startValue(model, exactValues(model, policy, { gamma: 1, horizon }));

/**
 * IQL's Q and V of a dataset by μ: Q = r + γ E V(s′), V the expectile of Q over μ's actions. Kostrikov et al. 2021, arXiv:2110.06169,
 * eq. 5 and 6.
 */
export function expectileValues(
  model: TabularModel,
  mu: TabularPolicy,
  { gamma, expectile }: { gamma: number; expectile: number },
): ExactValues {
  let v: Record<string, number> = Object.fromEntries(Object.keys(model.states).map((state) => [state, 0]));
  let q: Table = {};
  for (let pass = 0; pass < 1000; pass++) {
    q = Object.fromEntries(
      Object.entries(model.states).map(([state, actions]) => [
        state,
        Object.fromEntries(
          Object.entries(actions).map(([action, outcomes]) => [
            action,
            outcomes.reduce(
              (sum, { probability, reward, next }) =>
                sum + probability * (reward + (next === null ? 0 : gamma * v[next])),
              0,
            ),
          ]),
        ),
      ]),
    );
    v = Object.fromEntries(Object.entries(q).map(([state, row]) => [state, expectileOf(row, mu[state], expectile)]));
  }
  return { q, v };
}

function expectileOf(values: Record<string, number>, chances: Readonly<Record<string, number>>, expectile: number) {
  const pull = (at: number) =>
    Object.entries(values).reduce(
      (sum, [action, value]) => sum + chances[action] * (value > at ? expectile : 1 - expectile) * (value - at),
      0,
    );
  return root(pull, minimum(Object.values(values)) - 1, maximum(Object.values(values)) + 1);
}

/** The zero of a falling function. */
function root(f: (x: number) => number, low: number, high: number): number {
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (f(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** π ∝ μ · min(exp((Q − V) / β), bound). */
export const iqlPolicy = (
  mu: TabularPolicy,
  { q, v }: ExactValues,
  { temperature, maxWeight }: { temperature: number; maxWeight: number },
) =>
  normalised(
    mapTable(
      q,
      (value, state, action) => mu[state][action] * Math.min(Math.exp((value - v[state]) / temperature), maxWeight),
    ),
  );

/** The largest E_π A + c E_μ log π: π = c μ / (k − A), k such that they sum to 1. */
export function reinforceBcPolicy(mu: TabularPolicy, { q }: ExactValues, bcCoefficient: number): TabularPolicy {
  return Object.fromEntries(
    Object.entries(q).map(([state, row]) => {
      const chance = (action: string, k: number) => (bcCoefficient * mu[state][action]) / (k - row[action]);
      const best = maximum(Object.values(row));
      const k = root(
        (k) => Object.keys(row).reduce((sum, action) => sum + chance(action, k), 0) - 1,
        best + 1e-12,
        best + 100,
      );
      return [state, Object.fromEntries(Object.keys(row).map((action) => [action, chance(action, k)]))];
    }),
  );
}

/** π ∝ μ · E[min(exp((R − V) / β), bound) | s, a], R the discounted return under μ. Peng et al. 2019, arXiv:1910.00177, eq. 8. */
export function awrPolicy(
  model: TabularModel,
  mu: TabularPolicy,
  { gamma, temperature, maxWeight }: { gamma: number; temperature: number; maxWeight: number },
): TabularPolicy {
  const { v } = exactValues(model, mu, { gamma });
  const returns = returnDistributions(model, mu, gamma);
  const weight = (state: string, value: number) => Math.min(Math.exp((value - v[state]) / temperature), maxWeight);
  return normalised(
    mapTable(mu, (chance, state, action) => {
      let expected = 0;
      for (const { probability, reward, next } of model.states[state][action])
        for (const [cell, share] of next === null ? [[0, 1] as const] : returns[next])
          expected += probability * share * weight(state, reward + gamma * cell * CELL);
      return chance * expected;
    }),
  );
}

/** Returns are rounded to multiples of this. */
const CELL = 1e-3;

/** Distribution of the discounted return from each state, in cells. */
function returnDistributions(
  model: TabularModel,
  mu: TabularPolicy,
  gamma: number,
): Record<string, Map<number, number>> {
  const states = Object.keys(model.states);
  let returns = Object.fromEntries(states.map((state) => [state, new Map([[0, 1]])]));
  for (let step = 0; step < 150; step++) {
    const before = returns;
    returns = Object.fromEntries(
      states.map((state) => {
        const cells = new Map<number, number>();
        const add = (value: number, share: number) => {
          // Shared between both neighbours, so that the mean stays exact.
          const [low, part] = [Math.floor(value / CELL), value / CELL - Math.floor(value / CELL)];
          cells.set(low, (cells.get(low) ?? 0) + share * (1 - part));
          if (part > 0) cells.set(low + 1, (cells.get(low + 1) ?? 0) + share * part);
        };
        for (const [action, outcomes] of Object.entries(model.states[state]))
          for (const { probability, reward, next } of outcomes)
            for (const [cell, share] of next === null ? [[0, 1] as const] : before[next])
              add(reward + gamma * cell * CELL, mu[state][action] * probability * share);
        return [state, cells];
      }),
    );
  }
  return returns;
}

/** Rewards of the game are multiples of this. */
const UNIT = 0.05;

/** The expected number of each action in each state, over the episodes of a policy that are kept. */
export function keptVisits(
  model: TabularModel,
  policy: TabularPolicy,
  horizon: number,
  keep: (end: { episodicReturn: number; won: boolean }) => boolean,
): Table {
  const treasure = maximum(
    Object.values(model.states).flatMap((actions) =>
      Object.values(actions)
        .flat()
        .map(({ reward }) => reward),
    ),
  );
  const visits = mapTable(policy as Table, () => 0);
  const chances = new Map<string, number>();
  const actionsIn = (state: string) => Object.entries(model.states[state]);
  /** Probability that an episode is kept after an outcome. */
  const afterwards = (t: number, units: number, reward: number, next: string | null): number => {
    const total = units + Math.round(reward / UNIT);
    if (next === null) return keep({ episodicReturn: total * UNIT, won: reward === treasure }) ? 1 : 0;
    if (t + 1 >= horizon) return keep({ episodicReturn: total * UNIT, won: false }) ? 1 : 0;
    return chanceOf(t + 1, next, total);
  };
  const chanceOf = (t: number, state: string, units: number): number => {
    const key = `${t} ${state} ${units}`;
    let chance = chances.get(key);
    if (chance === undefined) {
      chance = 0;
      for (const [action, outcomes] of actionsIn(state))
        for (const { probability, reward, next } of outcomes)
          chance += policy[state][action] * probability * afterwards(t, units, reward, next);
      chances.set(key, chance);
    }
    return chance;
  };
  let reached = new Map(Object.entries(model.start).map(([state, p]) => [`${state} 0`, p]));
  for (let t = 0; t < horizon && reached.size > 0; t++) {
    const later = new Map<string, number>();
    for (const [key, mass] of reached) {
      const [state, text] = key.split(' ');
      for (const [action, outcomes] of actionsIn(state))
        for (const { probability, reward, next } of outcomes) {
          const flow = mass * policy[state][action] * probability;
          visits[state][action] += flow * afterwards(t, Number(text), reward, next);
          if (next === null) continue;
          const to = `${next} ${Number(text) + Math.round(reward / UNIT)}`;
          later.set(to, (later.get(to) ?? 0) + flow);
        }
    }
    reached = later;
  }
  return visits;
}

/** The q-quantile of the undiscounted return of a policy's episodes. */
export function returnQuantile(model: TabularModel, policy: TabularPolicy, horizon: number, q: number): number {
  const ended = new Map<number, number>();
  const add = <Key>(to: Map<Key, number>, key: Key, mass: number) => to.set(key, (to.get(key) ?? 0) + mass);
  let reached = new Map(Object.entries(model.start).map(([state, mass]) => [`${state} 0`, mass]));
  for (let t = 0; t < horizon; t++) {
    const later = new Map<string, number>();
    for (const [key, mass] of reached) {
      const [state, units] = key.split(' ');
      for (const [action, outcomes] of Object.entries(model.states[state]))
        for (const { probability, reward, next } of outcomes) {
          const total = Number(units) + Math.round(reward / UNIT);
          const flow = mass * policy[state][action] * probability;
          if (next === null || t + 1 >= horizon) add(ended, total, flow);
          else add(later, `${next} ${total}`, flow);
        }
    }
    reached = later;
  }
  let below = 0;
  const sorted = [...ended].sort(([one], [other]) => one - other);
  return sorted.find(([, mass]) => (below += mass) > q)![0] * UNIT;
}

/** The policy that imitates kept episodes of several policies, each so many times. */
export function imitated(parts: readonly { visits: Table; times: number }[]): TabularPolicy {
  const [{ visits }] = parts;
  return normalised(
    mapTable(visits, (_, state, action) =>
      parts.reduce((sum, part) => sum + part.times * part.visits[state][action], 0),
    ),
  );
}
