// Defines a game as a table of states, actions and outcomes, so small that its values can be computed exactly.

export interface Outcome {
  probability: number;
  reward: number;
  /** The next state; null if the episode ends. */
  next: string | null;
}

export interface TabularModel {
  /** The probability of each state at the beginning of an episode. */
  start: Readonly<Record<string, number>>;
  /** The outcomes of each action in each state. All states have the same actions. */
  states: Readonly<Record<string, Readonly<Record<string, readonly Outcome[]>>>>;
}

/** The probability of each action in each state. */
export type TabularPolicy = Readonly<Record<string, Readonly<Record<string, number>>>>;

const ends = (reward: number): Outcome[] => [{ probability: 1, reward, next: null }];
const goes = (reward: number, chances: Record<string, number>): Outcome[] =>
  Object.entries(chances).map(([next, probability]) => ({ probability, reward, next }));

/**
 * The built-in game. Its largest reward, 2, is at least four steps away; on the path one step costs 0.2 and two steps may fail.
 * Every state has an action that ends the game with a small reward, so that an agent which maximises only the immediate reward
 * never reaches the largest one. The best action differs between states.
 */
export const towerModel: TabularModel = {
  start: { gate: 0.5, shore: 0.5 },
  states: {
    gate: {
      left: ends(0.05),
      right: goes(0, { hall: 0.8, shore: 0.2 }),
      wait: goes(-0.05, { gate: 1 }),
    },
    shore: {
      left: goes(0, { hall: 0.8, shore: 0.2 }),
      right: ends(0.05),
      wait: goes(-0.05, { gate: 0.5, shore: 0.5 }),
    },
    hall: {
      left: ends(0.1),
      right: goes(-0.05, { hall: 1 }),
      wait: goes(-0.2, { bridge: 1 }),
    },
    bridge: {
      left: goes(0, { tower: 0.7, hall: 0.3 }),
      right: ends(0.3),
      wait: goes(-0.05, { bridge: 0.5, hall: 0.5 }),
    },
    tower: {
      left: ends(0.3),
      right: goes(-0.05, { tower: 1 }),
      wait: ends(2),
    },
  },
};

export const actionsOf = ({ states }: TabularModel): string[] => Object.keys(Object.values(states)[0]);
