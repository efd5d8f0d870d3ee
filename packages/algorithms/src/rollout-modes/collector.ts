// Plays episodes with the collector: a copy of the policy on a second device, which plays ahead of the learner. It loads newer weights
// between two calls that choose actions for the episodes in play.
import type { LanguageModel } from '@bowyer/models';
import type { Decision } from '@bowyer/envs';
import type { Player, OpenPlayer } from '../rollout/player.js';
import type { TurnTokens } from '../rollout/turn-tokens.js';

/** The weights that training changes: all of them, or the adapters only. */
export type Weights = Awaited<ReturnType<LanguageModel['copyParameters']>>;

/** Plays with a copy of the policy, whose weights are replaced between two calls. */
export class Collector {
  readonly #players = new Set<Player>();
  /** Resolves when the last queued call has ended; calls of the players and of `load` run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #version: number;

  /** `version`: the number of iterations that the learner has been trained for. */
  constructor(
    private readonly learner: Pick<LanguageModel, 'copyParameters'>,
    private readonly copy: Pick<LanguageModel, 'restoreParameters'>,
    private readonly openCopy: OpenPlayer,
    version: number,
  ) {
    this.#version = version;
  }

  /** Returns the number of iterations that the loaded weights have been trained for. */
  get version(): number {
    return this.#version;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  snapshot(): Promise<Weights> {
    return this.learner.copyParameters();
  }

  /** Loads weights into the copy, after the current call. The KV caches of unfinished episodes are then computed again. */
  load(version: number, weights: Weights): Promise<void> {
    return this.#alone(async () => {
      if (version === this.#version || this.#isClosed) return;
      await this.copy.restoreParameters(weights);
      this.#version = version;
      for (const player of this.#players) player.forget?.();
    });
  }

  /** Opens a player of the policy's copy. Each of its decisions states the version of the weights that made it. */
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

  /** Closes the collector: unfinished episodes fail at their next turn. */
  close(): void {
    this.#isClosed = true;
  }

  /** Runs `work` after all work that was passed earlier has ended. */
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
