// Retrieves examples from the memory for the turns of one episode at a time, while it is played or from its record.
import type { Memory, Retrieved } from './memory.js';

/** The examples that the memory provides at a turn, by their ids and as text. */
export interface Recalled {
  ids: string[];
  /** The text of the examples, which precedes the agent's prompt from this turn on; undefined: the earlier text is kept. */
  text?: string;
}

export class MemoryReader {
  #task: string | undefined;
  #item: string | undefined;
  #except: string | undefined;
  #last: Retrieved = { ids: [], text: '' };

  constructor(private readonly memory: Memory) {}

  /**
   * Retrieves the examples for the first turn. @param info of the reset, or its record with keys in snake_case @param except id
   * of an episode that is not retrieved, such as the recorded episode itself
   */
  async begin(observation: string, info: Readonly<Record<string, unknown>>, except?: string): Promise<Recalled> {
    const task = info.taskDescription ?? info.task_description;
    this.#task = typeof task === 'string' ? task : undefined;
    this.#item = info.item === undefined ? undefined : String(info.item);
    this.#except = except;
    return this.#retrieve(observation);
  }

  /** Retrieves the examples for the next turn. If the unit of retrieval is an episode, those of the reset are kept. */
  async follow(observation: string): Promise<Recalled> {
    return this.memory.unit === 'episode' ? { ids: this.#last.ids } : this.#retrieve(observation);
  }

  async #retrieve(observation: string): Promise<Recalled> {
    const [task, item, except] = [this.#task, this.#item, this.#except];
    this.#last = await this.memory.retrieve({ observation, task, item, except });
    return this.#last;
  }
}
