/** An object with an id of its own; its other properties are the agent's. */
export interface AgentTask {
  readonly id: string;
}
