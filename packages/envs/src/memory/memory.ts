// Stores successful episodes. Those whose observations resemble the current one are put into the agent's prompt as examples.
// Sources: nearest neighbours as examples (Liu et al. 2022, arXiv:2101.06804), acting by past cases (Lengyel and Dayan 2007;
// Blundell et al. 2016, arXiv:1606.04460).
import type { MemoryEpisode } from './memory-episode.js';
import type { MakeIndex, MemoryIndex } from './memory-index.js';
import type { RetrievalOptions } from './memory-options.js';

export interface MemorySettings extends RetrievalOptions {
  makeIndex: MakeIndex;
  /** The largest number of stored episodes. When it is exceeded, the oldest one is removed. */
  capacity: number;
}

/** A query for examples, with the episodes that must not be returned. */
interface MemoryQuery {
  observation: string;
  /** The description of the task, if the environment gives it separately from its observations. */
  task?: string;
  /** The id of the item that is played. Its stored episodes are not returned, since they would reveal its solution. */
  item?: string;
  /** The id of a further episode that is not returned, such as a demonstration that is itself stored in the memory. */
  except?: string;
}

/** The retrieved examples: their ids and their joined text, best first. The text is empty if there are none. */
export interface Retrieved {
  ids: string[];
  text: string;
}

interface Document {
  id: string;
  episode: MemoryEpisode;
  /** The text by which the document is searched; the episode's task may be added to it. */
  observation: string;
  example: string;
}

/** A memory of successful episodes. Only `add` and `restore` change it. */
export class Memory {
  /** The stored episodes, keyed by item, or by id if the item is unknown, in the order of their insertion. */
  readonly #episodes = new Map<string, MemoryEpisode>();
  #documents: Document[] = [];
  /** The number of documents of each item (key `item ID`) and of each episode (key `id ID`) in the index. */
  readonly #counts = new Map<string, number>();
  /** Whether the stored episodes have different tasks. A task that all of them share is left out of the search. */
  #tasksDiffer = false;
  #index: Promise<MemoryIndex> | null = null;

  constructor(private readonly settings: MemorySettings) {}

  get size(): number {
    return this.#episodes.size;
  }

  get unit(): RetrievalOptions['unit'] {
    return this.settings.unit;
  }

  /** Stores one episode per item: the one with the larger return, then the shorter one, then the older one. */
  add(episodes: Iterable<MemoryEpisode>): void {
    for (const episode of episodes) {
      const key = episode.item === undefined ? `id ${episode.id}` : `item ${episode.item}`;
      const known = this.#episodes.get(key);
      if (known !== undefined && !isBetter(episode, known)) continue;
      this.#episodes.delete(key);
      this.#episodes.set(key, episode);
      this.#index = null;
    }
    for (const key of this.#episodes.keys()) {
      if (this.size <= this.settings.capacity) break;
      this.#episodes.delete(key);
      this.#index = null;
    }
  }

  async retrieve({ observation, task, item, except }: MemoryQuery): Promise<Retrieved> {
    if (this.size === 0) return { ids: [], text: '' };
    const index = await (this.#index ??= this.#makeIndex());
    const isAllowed = ({ episode }: Document) => episode.id !== except && (item === undefined || episode.item !== item);
    const { topK, maxChars } = this.settings;
    const refused = (this.#counts.get(`item ${item}`) ?? 0) + (this.#counts.get(`id ${except}`) ?? 0);
    const places = await index.search(this.#key(task, observation), topK + refused);
    const found = places.map((place) => this.#documents[place]);
    const shown: Document[] = [];
    let room = maxChars;
    for (const document of found.filter(isAllowed).slice(0, topK)) {
      if (document.example.length > room) continue;
      room -= document.example.length;
      shown.push(document);
    }
    return { ids: shown.map(({ id }) => id), text: examplesText(shown.map(({ example }) => example)) };
  }

  /** Writes the stored episodes as JSON lines, in the order of their insertion, for a checkpoint. */
  toText(): string {
    return [...this.#episodes.values()].map((episode) => `${JSON.stringify(episode)}\n`).join('');
  }

  /** Replaces the memory's content by the episodes in a text that `toText` has written. */
  restore(text: string): void {
    this.#episodes.clear();
    this.#index = null;
    this.add(
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as MemoryEpisode),
    );
  }

  async #makeIndex(): Promise<MemoryIndex> {
    const documentsOf = this.settings.unit === 'episode' ? episodeDocument : transitionDocuments;
    const episodes = [...this.#episodes.values()];
    this.#documents = episodes.flatMap(documentsOf);
    this.#tasksDiffer = new Set(episodes.map(({ task }) => task)).size > 1;
    this.#counts.clear();
    for (const { episode } of this.#documents)
      for (const key of [`item ${episode.item}`, `id ${episode.id}`])
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return this.settings.makeIndex(
      this.#documents.map(({ episode, observation }) => this.#key(episode.task, observation)),
    );
  }

  /** Returns the text for the search: the observation, after the task if tasks differ and the observation lacks it. */
  #key(task: string | undefined, observation: string): string {
    return !this.#tasksDiffer || task === undefined || observation.includes(task)
      ? observation
      : `${task}\n${observation}`;
  }
}

const isBetter = (one: MemoryEpisode, other: MemoryEpisode): boolean =>
  one.return !== other.return ? one.return > other.return : one.turns.length < other.turns.length;

function episodeDocument(episode: MemoryEpisode): Document[] {
  const { id, turns } = episode;
  if (turns.length === 0) return [];
  const [{ observation }] = turns;
  const example = [observation.trim(), ...turns.map(({ action }) => action.trim())].join('\n');
  return [{ id, episode, observation, example: `${example}\n` }];
}

const transitionDocuments = (episode: MemoryEpisode): Document[] =>
  episode.turns.map(({ observation, action }, turn) => ({
    id: `${episode.id}, turn ${turn}`,
    episode,
    observation,
    example: `${observation.trim()}\n${action.trim()}\n`,
  }));

const examplesText = (examples: readonly string[]): string =>
  examples.length === 0 ? '' : `${examples.map((example) => `Example:\n${example}`).join('')}Now:\n`;
