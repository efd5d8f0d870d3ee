// Connects to a server of the Model Context Protocol with the official SDK, either over stdin and stdout of a process or over
// Streamable HTTP. The SDK supports versions 2024-11-05 to 2026-07-28 of the protocol, and is imported at the first connection.
import type {
  CallToolResult,
  Client,
  JsonSchemaValidator,
  PriorDiscovery,
  ReadResourceResult,
  Tool,
  Transport,
} from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { VERSION } from '@bowyer/core';
import { describeFault } from '../http/http-server.js';
import { formAnswer } from './form-answer.js';
import { resultFault } from './tool-arguments.js';

export interface ServerAddress {
  /** The server's command and arguments; {folder} stands for the episode's folder. null: the server is at `url`. */
  command: readonly string[] | null;
  url: string | null;
  /** The names of those environment variables of this process that the server's process gets. */
  environment: readonly string[];
  /** The name of the environment variable with the bearer token for `url`; null: no token is sent. */
  tokenVariable: string | null;
  startMs: number;
  timeoutMs: number;
}

/** The error for a server that does not start, has ended, does not answer in time, or reports an error of the protocol. */
export class McpServerError extends Error {
  override readonly name = 'McpServerError';

  constructor(
    readonly server: string,
    problem: string,
    /** The last output of the server's process on stderr; empty for a server at a URL. */
    readonly stderr: string,
    options?: ErrorOptions,
  ) {
    super(
      [
        `mcp: the server ${server}: ${problem}`,
        ...(stderr === '' ? [] : ['  its stderr ends with:', ...stderr.split('\n').map((line) => `    ${line}`)]),
      ].join('\n'),
      options,
    );
  }
}

const KEPT_STDERR = 2_000;

/** JSON-RPC's error code for invalid parameters, which are a mistake of the agent and not of the server. */
const INVALID_PARAMS = -32_602;

/** The protocol version of each server, by its address, so that only the first connection asks for it. */
const discoveries = new Map<string, PriorDiscovery>();

/** Accepts every value: the SDK's own validator matches patterns without a time limit; `callTool` validates in a thread. */
const unchecked = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

export class McpConnection {
  #stderr = '';
  #isBroken = false;
  #tools: readonly Tool[] = [];

  private constructor(
    private readonly client: Client,
    private readonly address: ServerAddress,
    readonly server: string,
  ) {}

  /**
   * Starts the server's process, or opens a session at its URL, and lists its tools. @param folder the episode's folder, in which
   * the process starts @throws {McpServerError} if the server does not start or answer
   */
  static async open(address: ServerAddress, folder: string | null = null): Promise<McpConnection> {
    const server = address.command?.join(' ') ?? String(address.url);
    try {
      return await McpConnection.#started(address, server, folder);
    } catch (error) {
      if (!endedAtQuestion(error, address) || discoveries.has(server)) throw error;
      const connection = await McpConnection.#started(address, server, folder, { kind: 'legacy' });
      discoveries.set(server, { kind: 'legacy' });
      return connection;
    }
  }

  static async #started(
    address: ServerAddress,
    server: string,
    folder: string | null,
    prior = discoveries.get(server),
  ): Promise<McpConnection> {
    const { Client } = await import('@modelcontextprotocol/client');
    const client = new Client(
      { name: 'bowyer', version: VERSION },
      {
        capabilities: { elicitation: { form: {} } },
        jsonSchemaValidator: unchecked,
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.ceil(address.startMs / 2) } },
      },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => formAnswer(params));
    const connection = new McpConnection(client, address, server);
    await connection.#start(folder, prior);
    return connection;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  get instructions(): string | undefined {
    return this.client.getInstructions();
  }

  /** Whether the connection cannot be used any more, for example after a timeout. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Errors of the tool, such as refused arguments, are results. @throws {McpServerError} if the server gives no result */
  async callTool(name: string, given: Readonly<Record<string, unknown>>): Promise<CallToolResult> {
    try {
      const result = await this.client.callTool({ name, arguments: given }, { timeout: this.address.timeoutMs });
      const tool = this.tools.find((each) => each.name === name);
      const fault = tool && !result.isError ? await resultFault(tool, result.structuredContent) : null;
      if (fault !== null) throw new Error(`its result is not what the tool's output schema says: ${fault}`);
      return result;
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      if (code === INVALID_PARAMS) return { content: [{ type: 'text', text: message }], isError: true };
      throw this.#failure(`the call of ${name} failed`, error);
    }
  }

  /** Reads a resource of the server. @throws {McpServerError} if it cannot be read */
  async readResource(uri: string): Promise<ReadResourceResult> {
    try {
      return await this.client.readResource({ uri }, { timeout: this.address.timeoutMs });
    } catch (error) {
      throw this.#failure(`the resource ${uri} cannot be read`, error);
    }
  }

  async close(): Promise<void> {
    this.#isBroken = true;
    await this.client.close().catch(() => {}); // closing a server that has ended fails
  }

  async #start(folder: string | null, prior: PriorDiscovery | undefined): Promise<void> {
    const timeout = this.address.startMs;
    const deadline = rejectAfter(timeout);
    try {
      const transport = await this.#transport(folder);
      this.client.onclose = () => (this.#isBroken = true);
      await Promise.race([this.client.connect(transport, { timeout, ...(prior && { prior }) }), deadline.promise]);
      const discover = this.client.getDiscoverResult();
      discoveries.set(this.server, discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover });
      const listed = this.client.getServerCapabilities()?.tools
        ? await Promise.race([this.client.listTools(undefined, { timeout }), deadline.promise])
        : { tools: [] };
      this.#tools = listed.tools;
    } catch (error) {
      const failure = this.#failure('it did not start', error);
      await this.close();
      throw failure;
    } finally {
      deadline.cancel();
    }
  }

  async #transport(folder: string | null): Promise<Transport> {
    const { command, url, environment, tokenVariable } = this.address;
    if (command === null) {
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      const token = tokenVariable === null ? undefined : process.env[tokenVariable];
      // A server may close an idle connection during a call, which must not be repeated: each call gets a new connection.
      const headers = { connection: 'close', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
      return new StreamableHTTPClientTransport(new URL(url!), { requestInit: { headers } });
    }
    const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
    // The SDK starts a second process to find out the protocol version, unless the transport is a subclass of its own transport.
    class OneProcessTransport extends StdioClientTransport {}
    const given = Object.fromEntries(environment.map((name) => [name, process.env[name] ?? '']));
    const [program, ...args] = command.map((word) =>
      folder === null ? word : word.replaceAll('{folder}', () => folder),
    );
    const env = { ...getDefaultEnvironment(), ...given };
    const transport = new OneProcessTransport({
      command: program,
      args,
      env,
      stderr: 'pipe',
      ...(folder && { cwd: folder }),
    });
    this.#keepStderr(transport);
    return transport;
  }

  #keepStderr(transport: StdioClientTransport): void {
    transport.stderr?.on('data', (piece: Buffer) => {
      this.#stderr = (this.#stderr + piece.toString()).slice(-KEPT_STDERR);
    });
  }

  /** After a timeout the connection is not used again, since the server may still be working on the call. */
  #failure(what: string, cause: unknown): McpServerError {
    const { code, message } = cause as { code?: unknown; message: string };
    if (code === 'REQUEST_TIMEOUT') this.#isBroken = true;
    const isTooDeep = cause instanceof RangeError && message.includes('call stack');
    const said = isTooDeep ? 'what it sent has too many lists and objects within each other' : describeFault(cause);
    return new McpServerError(this.server, `${what}: ${said}`, this.#stderr.trim(), { cause });
  }
}

/** Returns whether a server's process ended when it was asked for its protocol version, as servers with old SDKs do. */
const endedAtQuestion = (error: unknown, { command }: ServerAddress): boolean =>
  command !== null &&
  error instanceof McpServerError &&
  (error.cause as { code?: unknown }).code === 'ERA_NEGOTIATION_FAILED';

function rejectAfter(milliseconds: number): { promise: Promise<never>; cancel: () => void } {
  let timer: NodeJS.Timeout;
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing was ready in ${milliseconds} ms`)), milliseconds);
  });
  promise.catch(() => {}); // nothing awaits the promise after the race
  return { promise, cancel: () => clearTimeout(timer) };
}
