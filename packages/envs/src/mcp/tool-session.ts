// Opens the session of an episode of the environment `mcp`: a connection to the MCP server, the tools that the agent may call,
// the episode's folder, and the validation of calls.
import type { Tool } from '@modelcontextprotocol/client';
import { nearestName } from '../contract/unknown-name-error.js';
import { contentsText, resultText } from './content-text.js';
import { EpisodeFolder } from './episode-folder.js';
import { McpConnection, McpServerError } from './mcp-connection.js';
import type { McpOptions } from './options.js';
import { sharedConnection, type Lease } from './shared-connections.js';
import type { McpTask, ToolCall } from './task-file.js';
import { argumentChecks, type ArgumentsFault } from './tool-arguments.js';

/** Compiled validators of arguments, cached by the server's list of tools as JSON. */
const checksOfTools = new Map<string, Promise<ReadonlyMap<string, ArgumentsFault>>>();

function checksOf(tools: readonly Tool[]): Promise<ReadonlyMap<string, ArgumentsFault>> {
  const key = JSON.stringify(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  const known = checksOfTools.get(key) ?? argumentChecks(tools);
  checksOfTools.set(key, known);
  return known;
}

/** Throws McpServerError if the server does not start, or lacks a tool that the options or the task's expert name. */
export async function openToolSession(
  options: McpOptions,
  command: readonly string[] | null,
  task: McpTask,
): Promise<ToolSession> {
  const folder = options.folder === null ? null : await EpisodeFolder.make(options.folder, task.files);
  try {
    const { url, environment, tokenVariable, startMs, timeoutMs } = options;
    const address = { command, url, environment, tokenVariable, startMs, timeoutMs };
    const lease = options.isolate === 'shared' ? await sharedConnection(address) : await ownConnection(address, folder);
    return await ToolSession.of(lease, folder, options.tools, task);
  } catch (error) {
    await folder?.remove();
    throw error;
  }
}

async function ownConnection(
  address: Parameters<typeof McpConnection.open>[0],
  folder: EpisodeFolder | null,
): Promise<Lease> {
  const connection = await McpConnection.open(address, folder?.path);
  return { connection, leave: () => connection.close() };
}

export class ToolSession {
  private constructor(
    private readonly lease: Lease,
    private readonly inner: EpisodeFolder | null,
    private readonly checks: ReadonlyMap<string, ArgumentsFault>,
    readonly offered: readonly Tool[],
  ) {}

  static async of(
    lease: Lease,
    folder: EpisodeFolder | null,
    allowed: readonly string[] | null,
    task: McpTask,
  ): Promise<ToolSession> {
    const { connection } = lease;
    try {
      const offered = connection.tools.filter(({ name }) => allowed?.includes(name) ?? true);
      for (const name of allowed ?? []) requireTool(connection, connection.tools, name, 'env.tools');
      for (const step of task.expert ?? [])
        if ('name' in step) requireTool(connection, offered, step.name, `the expert of the task '${task.id}'`);
      return new ToolSession(lease, folder, await checksOf(connection.tools), offered);
    } catch (error) {
      await lease.leave();
      throw error;
    }
  }

  get instructions(): string | undefined {
    return this.lease.connection.instructions;
  }

  get folder(): string | null {
    return this.inner?.path ?? null;
  }

  /** Returns the reason why the agent's call is refused before it is sent, such as invalid arguments; null if it may be sent. */
  async fault({ name, arguments: given }: ToolCall): Promise<string | null> {
    const names = this.offered.map((tool) => tool.name);
    if (!names.includes(name)) return `There is no tool '${name}'; the tools are ${names.join(', ')}.`;
    const fault = await this.checks.get(name)!(given);
    return fault === null ? null : `The arguments of ${name} are not valid: ${fault}.`;
  }

  /** Calls a tool, with the folder's path replaced in arguments and result. @throws {McpServerError} if there is no result */
  async call({ name, arguments: given }: ToolCall): Promise<{ text: string; isError: boolean }> {
    const { connection } = this.lease;
    requireTool(connection, connection.tools, name, 'a call');
    const result = await connection.callTool(name, this.inner?.inside(given) ?? given);
    return { text: this.#outside(resultText(result)), isError: result.isError === true };
  }

  /** Returns the texts of a resource. @throws {McpServerError} if it cannot be read */
  async read(uri: string): Promise<string> {
    const { contents } = await this.lease.connection.readResource(this.inner?.inside(uri) ?? uri);
    return this.#outside(contents.map(contentsText).join('\n'));
  }

  async close(): Promise<void> {
    await this.lease.leave();
    await this.inner?.remove();
  }

  #outside(text: string): string {
    return this.inner?.outside(text) ?? text;
  }
}

function requireTool({ server }: McpConnection, tools: readonly Tool[], name: string, source: string): void {
  const names = tools.map((tool) => tool.name);
  if (names.includes(name)) return;
  const nearest = nearestName(name, names);
  const advice = nearest === null ? `its tools: ${names.join(', ') || '(none)'}` : `did you mean ${nearest}?`;
  throw new McpServerError(server, `it has no tool '${name}', which ${source} names; ${advice}`, '');
}
