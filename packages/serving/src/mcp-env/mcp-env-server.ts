// Serves environments over MCP (Model Context Protocol): over HTTP with a player per session or episode id, over a pipe with one.
import { randomInt } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Env } from '@bowyer/envs';
import { EnvTools, type Seat } from './env-tools.js';
import type { ServedGames } from './games.js';
import { McpListener, type McpListenerOptions } from './mcp-listener.js';
import { NamedPlayers } from './named-players.js';
import { Player } from './player.js';

export interface McpEnvOptions {
  served: ServedGames;
  makeEnv: () => Env;
  /** The version of this project. */
  version: string;
  /** Returns the seed for an episode whose reset has none. */
  drawSeed?: () => number;
  onFault?: (error: Error) => void;
}

export type McpHttpOptions = Pick<McpListenerOptions, 'host' | 'port' | 'apiKey' | 'idleMs'> & {
  /** The most sessions and episodes without a session that are open at the same time. */
  maxInstances: number;
};

const anySeed = (): number => randomInt(2 ** 31);

const toolsOf = ({ served, version, drawSeed = anySeed }: McpEnvOptions, isNamed: boolean) =>
  new EnvTools(served, { isNamed, version, drawSeed });

const seatOf = (player: Player): Seat => ({ take: () => ({ player, episode: null }), find: () => player });

/** An MCP server of environments that listens to HTTP. */
export interface McpEnvServer {
  readonly url: string;
  /** The number of open sessions and of open episodes without a session. */
  readonly players: number;
  /** Stops the server: it accepts no further requests, answers the received ones, and closes every environment. */
  close(): Promise<void>;
}

/** Starts a server over HTTP, and returns it once it listens. */
export async function listenMcpEnv(options: McpEnvOptions, http: McpHttpOptions): Promise<McpEnvServer> {
  const { makeEnv, onFault } = options;
  const { maxInstances, idleMs } = http;
  const [tools, namedTools] = [toolsOf(options, false), toolsOf(options, true)];
  const newPlayer = () => new Player({ makeEnv, onFault });
  const players = (): number => listener.sessions + named.size;
  const named: NamedPlayers = new NamedPlayers({ player: newPlayer, isFull: () => players() >= maxInstances, idleMs });
  const open = () => {
    const player = newPlayer();
    return { server: tools.serverFor(seatOf(player)), close: () => player.close() };
  };
  const listener = await McpListener.listen({
    ...http,
    onFault,
    open,
    isFull: () => players() >= maxInstances,
    stateless: () => namedTools.serverFor(named),
  });
  return {
    url: listener.url,
    get players() {
      return players();
    },
    close: async () => {
      await listener.close();
      await named.closeAll();
    },
  };
}

const LONGEST_MESSAGE = 2 ** 20;

/** The streams to the client, such as the standard streams of this process if the client has started it. */
export interface Pipe {
  input: Readable;
  output: Writable;
}

/** Serves one player over a pipe, until the client closes the pipe or `close` is called. */
export function pipeMcpEnv(options: McpEnvOptions, { input, output }: Pipe): McpPipe {
  const tools = toolsOf(options, false);
  const player = new Player(options);
  let leave = () => {};
  const ended = new Promise<void>((resolve) => (leave = resolve));
  const transport = new EndingTransport(input, output, { maxBufferSize: LONGEST_MESSAGE });
  transport.ended = leave;
  const factory = (): McpServer => tools.serverFor(seatOf(player));
  const handle = serveStdio(factory, { transport, onerror: options.onFault });
  return {
    ended: ended.then(() => player.close()),
    close: async () => {
      await handle.close();
      await ended;
      await player.close();
    },
  };
}

export interface McpPipe {
  /** Fulfilled when the pipe and the environment have been closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** A transport that reports when it closes: because of the client, of the server, or of a message that is too long. */
class EndingTransport extends StdioServerTransport {
  ended: () => void = () => undefined;
  override async close(): Promise<void> {
    await super.close();
    this.ended();
  }
}
