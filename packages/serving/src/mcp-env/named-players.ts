// Keeps the players (an environment each) of MCP's stateless protocol of 2026-07-28, whose calls contain the episode's id.
import { randomUUID } from 'node:crypto';
import type { Seat } from './env-tools.js';
import { PlayError, type Player } from './player.js';

interface NamedPlayersOptions {
  player: () => Player;
  /** Returns whether so many episodes are open that no further one may begin. */
  isFull: () => boolean;
  /** Milliseconds without a call after which an episode is closed. */
  idleMs: number;
}

export class NamedPlayers implements Seat {
  readonly #players = new Map<string, { player: Player; lastUsed: number }>();
  readonly #sweep: NodeJS.Timeout;

  constructor(private readonly options: NamedPlayersOptions) {
    this.#sweep = setInterval(() => this.closeIdle(), Math.max(1000, options.idleMs / 4)).unref();
  }

  get size(): number {
    return this.#players.size;
  }

  take(episode = ''): { player: Player; episode: string } {
    const known = this.#players.get(episode)?.player;
    this.#players.delete(episode);
    if (known === undefined && this.options.isFull())
      throw new PlayError('All places of the server are in use (task.max_instances). Try again later.');
    const player = known ?? this.options.player();
    const id = randomUUID();
    this.#players.set(id, { player, lastUsed: performance.now() });
    return { player, episode: id };
  }

  find(episode = ''): Player {
    const entry = this.#players.get(episode);
    if (entry === undefined)
      throw new PlayError('There is no episode of this id; it may have been idle. Call reset for another one.');
    entry.lastUsed = performance.now();
    return entry.player;
  }

  /** Closes the episodes that had no call for longer than `idleMs`. @returns how many */
  closeIdle(now: number = performance.now()): number {
    const idle = [...this.#players].filter(([, { lastUsed }]) => now - lastUsed > this.options.idleMs);
    for (const [id, { player }] of idle) {
      this.#players.delete(id);
      void player.close();
    }
    return idle.length;
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#players.values()].map(({ player }) => player.close()));
    this.#players.clear();
  }
}
