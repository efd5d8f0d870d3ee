// Shares connections to MCP servers in a process (isolate=shared). A connection is closed when its last user leaves.
import { McpConnection, type ServerAddress } from './mcp-connection.js';

interface Shared {
  connection: Promise<McpConnection>;
  users: number;
}

const open = new Map<string, Shared>();

export interface Lease {
  connection: McpConnection;
  leave(): Promise<void>;
}

/** Returns a working connection. A broken one is replaced; its users get errors until they call this function again. */
export async function sharedConnection(address: ServerAddress): Promise<Lease> {
  const key = JSON.stringify(address);
  const known = open.get(key);
  const isUsable = known !== undefined && !(await known.connection.catch(() => null))?.isBroken;
  if (known !== undefined && !isUsable && open.get(key) === known) open.delete(key);
  const shared = open.get(key) ?? { connection: McpConnection.open(address), users: 0 };
  open.set(key, shared);
  shared.users++;
  const leave = async () => {
    shared.users--;
    if (shared.users > 0) return;
    if (open.get(key) === shared) open.delete(key);
    const connection = await shared.connection.catch(() => null);
    await connection?.close();
  };
  try {
    return { connection: await shared.connection, leave };
  } catch (error) {
    if (open.get(key) === shared) open.delete(key);
    throw error;
  }
}
