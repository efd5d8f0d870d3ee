// Lists the protocols over which task=serve_env serves an environment, and the transports of the protocol MCP.
export const protocols = ['agentgym', 'openenv', 'mcp'] as const;
export const transports = ['http', 'stdio'] as const;
