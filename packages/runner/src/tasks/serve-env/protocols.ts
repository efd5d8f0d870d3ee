// Lists the protocols over which an environment is served, and the transports of MCP.
export const protocols = ['agentgym', 'openenv', 'mcp'] as const;
export const transports = ['http', 'stdio'] as const;
