// Stores an algorithm's estimates, such as values, with the turns of episodes, for reports.
import type { Trajectory, TurnEstimate } from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';

/** Bounds the episodes whose valid actions are evaluated, and the actions of a turn: only reports need them. */
const JUDGED_EPISODES = 4;
const JUDGED_ACTIONS = 24;
const NOTED_ACTIONS = 3;

export function noteEstimate(trajectory: Trajectory, turn: number, estimate: TurnEstimate): void {
  const estimates = (trajectory.estimates ??= []);
  estimates[turn] = { ...estimates[turn], ...estimate };
}

/**
 * Computes min(Q₁, Q₂) of every turn, in order, and stores it with V as the turns' estimates. A few episodes also get the valid
 * actions with the highest values.
 */
export async function judgeEpisodes(critic: DoubleCritic, trajectories: readonly Trajectory[]): Promise<number[]> {
  const turns = trajectories.flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })));
  const transitions = turns.map(({ trajectory, turn }) => trajectory.transitions[turn]);
  const heads = await critic.evaluate(
    transitions.map(({ observation }) => observation),
    transitions.map(({ action }) => action),
    'online',
  );
  const values = heads.q1.map((value, i) => Math.min(value, heads.q2[i]));
  turns.forEach(({ trajectory, turn }, i) =>
    noteEstimate(trajectory, turn, { q: values[i], v: Math.min(heads.v1[i], heads.v2[i]) }),
  );
  await judgeValidActions(critic, trajectories.slice(0, JUDGED_EPISODES));
  return Array.from(values);
}

/** Evaluates the valid actions of turns, which the info of the step before lists. */
async function judgeValidActions(critic: DoubleCritic, trajectories: readonly Trajectory[]): Promise<void> {
  const judged = trajectories.flatMap((trajectory) =>
    trajectory.transitions.flatMap(({ observation }, turn) => {
      const valid = turn === 0 ? undefined : trajectory.infos[turn - 1].validActions;
      const actions = Array.isArray(valid) ? (valid as string[]).slice(0, JUDGED_ACTIONS) : [];
      return actions.map((action) => ({ trajectory, turn, observation, action }));
    }),
  );
  if (judged.length === 0) return;
  const { q1, q2 } = await critic.evaluate(
    judged.map(({ observation }) => observation),
    judged.map(({ action }) => action),
    'online',
  );
  let start = 0;
  while (start < judged.length) {
    const { trajectory, turn } = judged[start];
    let end = start;
    while (end < judged.length && judged[end].trajectory === trajectory && judged[end].turn === turn) end++;
    const own = judged
      .slice(start, end)
      .map(({ action }, i) => ({ action, q: Math.min(q1[start + i], q2[start + i]) }));
    noteEstimate(trajectory, turn, { preferred: own.sort((a, b) => b.q - a.q).slice(0, NOTED_ACTIONS) });
    start = end;
  }
}
