// Calls the methods of ScienceWorld's Java simulator over the protocol of Py4J. Source: ScienceWorld's Python wrapper and the
// Java class PythonInterface, both at commit e8216d6.
import { isReference, Py4jConnection, type JavaReference } from './py4j-connection.js';
import { JavaProcess } from './java-process.js';

const INTERFACE = 'scienceworld.runtime.pythonapi.PythonInterface';
const DEFAULT_PORT = 25335;

/** The simulator's answer to one action. */
export interface Moment {
  observation: string;
  /** The score so far, from 0 to 100; negative if the task has failed. */
  score: number;
  completed: boolean;
  moves: number;
}

interface SimulatorAddress {
  /** The jar or Java class path of the simulator's process to start; null: a simulator is already running at `baseUrl`. */
  jar: string | null;
  /** The address host:port of a running simulator; null: 127.0.0.1:25335. */
  baseUrl: string | null;
  timeoutMs: number;
}

export class Simulator {
  private constructor(
    private readonly connection: Py4jConnection,
    private readonly simulator: JavaReference,
    private readonly process: JavaProcess | null,
  ) {}

  static async open({ jar, baseUrl, timeoutMs }: SimulatorAddress): Promise<Simulator> {
    const process = jar === null ? null : await JavaProcess.start(jar, timeoutMs);
    try {
      const address = process === null ? parsed(baseUrl) : { host: '127.0.0.1', port: process.port };
      const connection = await Py4jConnection.open(address, timeoutMs);
      return new Simulator(connection, await connection.construct(INTERFACE), process);
    } catch (error) {
      process?.stop();
      throw error;
    }
  }

  get isBroken(): boolean {
    return this.connection.isBroken;
  }

  async taskNames(): Promise<string[]> {
    const list = await this.connection.call(this.simulator, 'getTaskNames');
    if (!isReference(list)) throw new TypeError(`ScienceWorld: getTaskNames gave ${String(list)} instead of a list`);
    const names = await this.connection.texts(list);
    await this.connection.release(list);
    return names;
  }

  async variationCount(task: string): Promise<number> {
    return Number(await this.connection.call(this.simulator, 'getTaskMaxVariations', task));
  }

  /** Loads a task variation and begins an episode, with the same first action (a look around) as the Python wrapper. */
  async load(task: string, variation: number, simplifications: string): Promise<Moment> {
    const complaint = await this.connection.call(this.simulator, 'load', task, variation, simplifications, false);
    if (typeof complaint === 'string' && complaint !== '') throw new Error(`ScienceWorld: ${complaint}`);
    return this.step('look around');
  }

  async step(action: string): Promise<Moment> {
    const { connection, simulator } = this;
    const observation = String(await connection.call(simulator, 'step', action));
    const score = Math.round(100 * Number(await connection.call(simulator, 'getScore')));
    const completed = Boolean(await connection.call(simulator, 'getCompleted'));
    return { observation, score, completed, moves: Number(await connection.call(simulator, 'getNumMoves')) };
  }

  async taskDescription(): Promise<string> {
    return String(await this.connection.call(this.simulator, 'getTaskDescription'));
  }

  /** Returns all actions that would change or show something now: hundreds, whose search takes 0.1 to 1 s. */
  async validActions(): Promise<string[]> {
    const json = String(await this.connection.call(this.simulator, 'getValidActionObjectCombinationsJSON'));
    const { validActions } = JSON.parse(json) as { validActions: { action: string }[] };
    return validActions.map(({ action }) => action);
  }

  async close(): Promise<void> {
    // The Java object is released only over an intact connection.
    if (!this.connection.isBroken) await this.connection.release(this.simulator).catch(() => {});
    this.connection.close();
    this.process?.stop();
  }
}

function parsed(baseUrl: string | null): { host: string; port: number } {
  const match = /^(?:tcp:\/\/)?([^:/]+)(?::(\d+))?\/?$/.exec(baseUrl ?? '127.0.0.1');
  if (match === null) throw new TypeError(`ScienceWorld: base_url '${baseUrl}' is not of the form host:port`);
  return { host: match[1], port: match[2] === undefined ? DEFAULT_PORT : Number(match[2]) };
}
