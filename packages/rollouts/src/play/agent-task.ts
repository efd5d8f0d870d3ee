/** A task for an agent: a JSON object with an id. Only the agent and its judge read the other properties. */
export interface AgentTask {
  readonly id: string;
}
