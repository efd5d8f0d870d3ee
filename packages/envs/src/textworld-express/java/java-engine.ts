// TextWorldExpress's simulator as an engine: a Java process that listens on a port. Start it in a folder with its two content
// files: java -cp textworld-express.jar textworldexpress.runtime.PythonInterface 25335
import type { Engine, Opening, World } from '../engine.js';
import type { GameTurn } from '../games/text-game.js';
import {
  isReference,
  JavaServerError,
  Py4jConnection,
  type JavaReference,
  type Py4jAddress,
} from './py4j-connection.js';

const INTERFACE = 'textworldexpress.runtime.PythonInterface';
const DEFAULT_PORT = 25335;

/** A step as the simulator writes it. */
interface StepRecord {
  observation: string;
  look: string;
  inventory: string;
  validActions: string[];
  scoreRaw: number;
  score: number;
  tasksuccess: boolean;
  taskfailure: boolean;
}

export class JavaEngine implements Engine {
  readonly #address: Py4jAddress;
  #session: { connection: Py4jConnection; simulator: JavaReference } | null = null;

  /** Prepares the engine. @param baseUrl "host:port", with or without "tcp://" before it */
  constructor(
    private readonly game: string,
    baseUrl: string,
    private readonly timeoutMs: number,
  ) {
    this.#address = parseAddress(baseUrl);
  }

  async start(world: World): Promise<Opening> {
    const { connection, simulator } = await this.#open();
    const turn = await this.#make(connection, simulator, world, false);
    return {
      turn,
      taskDescription: String(await connection.call(simulator, 'getTaskDescription')),
      properties: JSON.parse(String(await connection.call(simulator, 'getGenerationPropertiesJSON'))),
    };
  }

  async act(action: string): Promise<GameTurn> {
    const { connection, simulator } = await this.#open();
    return parseTurn(await connection.call(simulator, 'stepJSON', action));
  }

  /**
   * Returns the gold path. It uses another simulator, so that the running episode is not affected, and leaves out the first look.
   */
  async goldPath(world: World): Promise<string[]> {
    const { connection } = await this.#open();
    const simulator = await connection.construct(INTERFACE);
    try {
      await this.#make(connection, simulator, world, true);
      const list = await connection.call(simulator, 'getGoldActionSequence');
      if (!isReference(list)) throw this.#error('getGoldActionSequence', `gave ${String(list)} instead of a list`);
      const path = await connection.texts(list);
      await connection.release(list);
      return path[0] === 'look around' ? path.slice(1) : path;
    } finally {
      await connection.release(simulator);
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (session === null) return;
    try {
      await session.connection.release(session.simulator);
    } catch {
      // A broken connection has nothing to release.
    } finally {
      session.connection.close();
    }
  }

  async #make(
    connection: Py4jConnection,
    simulator: JavaReference,
    world: World,
    withGold: boolean,
  ): Promise<GameTurn> {
    const complaint = await connection.call(simulator, 'load', this.game, world.params);
    if (complaint !== '') throw this.#error(`load('${this.game}', '${world.params}')`, `said: ${String(complaint)}`);
    return parseTurn(await connection.call(simulator, 'generateNewGameJSON', world.seed, world.fold, withGold));
  }

  /** Connects at the first use. A broken connection is replaced at the next episode. */
  async #open(): Promise<{ connection: Py4jConnection; simulator: JavaReference }> {
    if (this.#session?.connection.isBroken === true) this.#session = null;
    if (this.#session === null) {
      const connection = await Py4jConnection.open(this.#address, this.timeoutMs);
      this.#session = { connection, simulator: await connection.construct(INTERFACE) };
    }
    return this.#session;
  }

  #error(call: string, complaint: string): JavaServerError {
    return new JavaServerError(`${this.#address.host}:${this.#address.port}`, call, complaint);
  }
}

function parseTurn(json: unknown): GameTurn {
  // The simulator writes a score of 0 / 0 as NaN, which is not JSON.
  const step = JSON.parse(String(json).replace(/:NaN,/g, ':1,')) as StepRecord;
  return {
    observation: step.observation,
    look: step.look,
    inventory: step.inventory,
    validActions: step.validActions,
    score: { raw: step.scoreRaw, normalized: step.score, won: step.tasksuccess, failed: step.taskfailure },
  };
}

function parseAddress(baseUrl: string): Py4jAddress {
  const match = /^(?:tcp:\/\/)?([^:/]+)(?::(\d+))?\/?$/.exec(baseUrl);
  if (match === null) throw new TypeError(`TextWorldExpress: base_url '${baseUrl}' is not of the form host:port`);
  return { host: match[1], port: match[2] === undefined ? DEFAULT_PORT : Number(match[2]) };
}
