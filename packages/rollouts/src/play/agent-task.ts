/** Any object with an id of its own. */
export type AgentTask = { readonly id: string } & Readonly<Record<string, unknown>>;
