// Retrieves examples from the memory for one episode at a time, in play or from records.
import type { Memory, Retrieved } from './memory.js';

/** The examples that the memory provides at a turn. */
export interface Recalled {
  ids: string[];
  /** The examples' text, which precedes the prompt from this turn on; undefined: the text is unchanged. */
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
   * @param except id of an episode to leave out, such as the recorded episode itself
   */
  async begin(observation: string, info: Readonly<Record<string, unknown>>, except?: string): Promise<Recalled> {
    const task = info.taskDescription ?? info.task_description;
    this.#task = typeof task === 'string' ? task : undefined;
    this.#item = info.item === undefined ? undefined : String(info.item);
    this.#except = except;
    return this.#retrieve(observation);
  }

  /** Retrieves examples for the next turn. If the unit is a whole episode, the examples of the reset are kept. */
  async follow(observation: string): Promise<Recalled> {
    return this.memory.unit === 'episode' ? { ids: this.#last.ids } : this.#retrieve(observation);
  }

  async #retrieve(observation: string): Promise<Recalled> {
    const [task, item, except] = [this.#task, this.#item, this.#except];
    this.#last = await this.memory.retrieve({ observation, task, item, except });
    return this.#last;
  }
}
