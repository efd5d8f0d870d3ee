// Declares episodes as texts, for imitation or offline learning; they come from an environment's expert, or from files.
/** One turn: the action, the environment's reply and, if known, the reward. */
export interface DemonstrationTurn {
  action: string;
  /** The text that follows the action in the agent's context; empty after the last action. */
  reply: string;
  /** The text that the agent reads next, if it does not continue the earlier text but replaces it. */
  nextObservation?: string;
  reward?: number;
  /** Whether the action is a mistake inserted into the demonstration: context for later actions, but not imitated. */
  slip?: boolean;
  /** Whether the task ended with this turn. */
  terminated?: boolean;
  /** Whether a limit outside the task cut the episode after this turn. */
  truncated?: boolean;
}

/** A dialogue: the environment's opening, then actions and replies, turn by turn. */
export interface Demonstration {
  opening: string;
  turns: DemonstrationTurn[];
  /** Whether the episode was won, if the environment or the file states it. */
  won?: boolean;
}
