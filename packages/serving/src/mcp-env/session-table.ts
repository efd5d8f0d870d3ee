// Keeps the sessions of an MCP server by the ids in a header. They begin with `initialize`; the client or idleness ends them.
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, type McpServer } from '@modelcontextprotocol/server';

/** The content of a session: everything except its transport. */
interface SessionContent {
  /** The SDK's server, which is not connected to a transport yet. */
  server: McpServer;
  close(): Promise<void>;
}

export interface SessionTableOptions {
  open: () => SessionContent;
  /** Milliseconds without a request after which a session is closed. */
  idleMs: number;
  onFault?: (error: Error) => void;
}

export interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  content: SessionContent;
  lastUsed: number;
  /** The number of requests in progress, except the one that opens the stream of the server's own messages. */
  atWork: number;
}

export class SessionTable {
  readonly #sessions = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(private readonly options: SessionTableOptions) {
    this.#sweep = setInterval(() => this.closeIdle(), Math.max(1000, options.idleMs / 4)).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  find({ headers }: IncomingMessage): Session | undefined {
    return this.#sessions.get(String(headers['mcp-session-id'] ?? ''));
  }

  /** Opens a session for a request `initialize`. If the request is refused, the caller closes the session with `settle`. */
  async open(): Promise<Session> {
    const content = this.options.open();
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    await content.server.connect(transport);
    const session = { transport, content, lastUsed: performance.now(), atWork: 0 };
    this.#sessions.set(id, session);
    const closed = transport.onclose;
    transport.onclose = () => {
      closed?.();
      this.#sessions.delete(id);
      content.close().catch((error: Error) => this.options.onFault?.(error));
    };
    return session;
  }

  /** Runs the work of a session's request; meanwhile the session does not count as idle. */
  async during(session: Session, work: () => Promise<void>): Promise<void> {
    session.atWork++;
    try {
      await work();
    } finally {
      session.atWork--;
      session.lastUsed = performance.now();
    }
  }

  /** Closes a session if its first request was refused, so that it has no id. */
  async settle({ transport }: Session): Promise<void> {
    if (transport.sessionId === undefined) await transport.close();
  }

  /** Closes the sessions without requests for longer than `idleMs`. @returns how many */
  closeIdle(now: number = performance.now()): number {
    const idle = [...this.#sessions.values()].filter(
      ({ atWork, lastUsed }) => atWork === 0 && now - lastUsed > this.options.idleMs,
    );
    for (const { transport } of idle) void transport.close();
    return idle.length;
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#sweep);
    const contents = [...this.#sessions.values()].map(({ transport, content }) =>
      transport.close().then(content.close),
    );
    await Promise.all(contents);
  }
}
