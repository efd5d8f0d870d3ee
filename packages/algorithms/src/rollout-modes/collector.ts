// The policy that plays ahead of the learner: a copy on a device of its own. It takes up newer weights between two calls of its
// player, never during one.
import type { LanguageModel } from '@bowyer/models';
import type { Decision } from '@bowyer/envs';
import type { Player, OpenPlayer } from '../rollout/player.js';
import type { TurnTokens } from '../rollout/turn-tokens.js';

/** The weights that training changes: all of them, or the adapters alone. */
export type Weights = Awaited<ReturnType<LanguageModel['copyParameters']>>;

export class Collector {
  readonly #players = new Set<Player>();
  /** Calls of the player and of `load`, one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #version: number;

  /**
   * @param copy has the learner's weights
   * @param openCopy opens a player of the copy
   * @param version iterations that the learner has been trained for
   */
  constructor(
    private readonly learner: Pick<LanguageModel, 'copyParameters'>,
    private readonly copy: Pick<LanguageModel, 'restoreParameters'>,
    private readonly openCopy: OpenPlayer,
    version: number,
  ) {
    this.#version = version;
  }

  /** Returns the iterations that the weights which play now have been trained for. */
  get version(): number {
    return this.#version;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Copies the learner's weights as they are now. */
  snapshot(): Promise<Weights> {
    return this.learner.copyParameters();
  }

  /** Gives the copy these weights, after the call that is under way. Contexts of episodes in play are then computed again. */
  load(version: number, weights: Weights): Promise<void> {
    return this.#alone(async () => {
      if (version === this.#version || this.#isClosed) return;
      await this.copy.restoreParameters(weights);
      this.#version = version;
      for (const player of this.#players) player.forget?.();
    });
  }

  /** Opens a player of the copy, whose decisions say with which weights they were made. */
  readonly openPlayer: OpenPlayer = async (sampling) => {
    const player = await this.openCopy(sampling);
    this.#players.add(player);
    return {
      act: (requests) =>
        this.#alone(async () => {
          if (this.#isClosed) throw new Error('the collector was closed');
          const decisions = await player.act(requests);
          return decisions.map((decision) => stamped(decision, this.#version));
        }),
      close: async () => {
        this.#players.delete(player);
        await player.close();
      },
    };
  };

  /** Ends what is being played at its next turn, with an error. */
  close(): void {
    this.#isClosed = true;
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

function stamped(decision: Decision<TurnTokens> | Error, policyVersion: number): Decision<TurnTokens> | Error {
  if (decision instanceof Error || decision.data === undefined) return decision;
  return { ...decision, data: { ...decision.data, policyVersion } };
}
