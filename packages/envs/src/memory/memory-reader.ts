// Reads the memory for one episode at a time, in play or from records.
import type { Memory, Retrieved } from './memory.js';

/** The examples that the memory gives at a turn. */
export interface Recalled {
  ids: string[];
  /** The text before what the agent reads from this turn on; undefined: that of the turn before stays. */
  text?: string;
}

export class MemoryReader {
  #task: string | undefined;
  #item: string | undefined;
  #except: string | undefined;
  #last: Retrieved = { ids: [], text: '' };

  constructor(private readonly memory: Memory) {}

  /**
   * Retrieves examples at the beginning of an episode.
   *
   * @param info of the reset, or its record in snake_case
   * @param except id of an episode that must not be given: of a demonstration, its own
   */
  async begin(observation: string, info: Readonly<Record<string, unknown>>, except?: string): Promise<Recalled> {
    const task = info.taskDescription ?? info.task_description;
    this.#task = typeof task === 'string' ? task : undefined;
    this.#item = info.item === undefined ? undefined : String(info.item);
    this.#except = except;
    return this.#retrieve(observation);
  }

  /** Retrieves examples for the next turn; whole episodes are retrieved at the reset and stay. */
  async follow(observation: string): Promise<Recalled> {
    return this.memory.unit === 'episode' ? { ids: this.#last.ids } : this.#retrieve(observation);
  }

  async #retrieve(observation: string): Promise<Recalled> {
    const [task, item, except] = [this.#task, this.#item, this.#except];
    this.#last = await this.memory.retrieve({ observation, task, item, except });
    return this.#last;
  }
}
