// Episodes to imitate or to learn from, as texts: what an environment's expert plays and what files of episodes contain.
/** One turn: what the agent wrote, what came back and, where it is known, what it earned. */
export interface DemonstrationTurn {
  action: string;
  /** Text that follows the action in the agent's context; empty after the last action, which nothing follows. */
  reply: string;
  /** The text that the agent reads next, where it does not continue the one before it: a context of its own. */
  nextObservation?: string;
  reward?: number;
  /** Whether the action is there to be followed by others, not to be imitated. */
  slip?: boolean;
  /** Whether the task ended with this turn. */
  terminated?: boolean;
  /** Whether a limit outside the task cut the episode after this turn. */
  truncated?: boolean;
}

/** A dialogue: the environment's opening, then what was said and what came back, turn by turn. */
export interface Demonstration {
  opening: string;
  turns: DemonstrationTurn[];
  /** Whether the episode was won, where the environment or the file says so. */
  won?: boolean;
}
