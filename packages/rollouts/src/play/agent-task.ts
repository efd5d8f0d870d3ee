/** A task: an object with an id; its other properties are for the agent. */
export interface AgentTask {
  readonly id: string;
}
