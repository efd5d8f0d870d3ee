// Checks that an environment's methods are called in the order reset → step … step → reset. All built-in ones use it.

type EpisodePhase = 'before reset' | 'running' | 'ended' | 'closed';

class EpisodeOrderError extends Error {
  override readonly name = 'EpisodeOrderError';

  constructor(
    readonly environment: string,
    readonly call: 'reset' | 'step',
    readonly phase: EpisodePhase,
  ) {
    super(`${environment}: ${call}() ${complaint[phase]}`);
  }
}

const complaint: Record<EpisodePhase, string> = {
  'before reset': 'was called before the first reset(); call reset() first',
  running: 'is not allowed while an episode runs',
  ended: 'was called after the episode had ended; call reset() to start the next one',
  closed: 'was called after close(); make a new environment',
};

export class EpisodeOrder {
  #phase: EpisodePhase = 'before reset';

  constructor(private readonly environment: string) {}

  /** Begins an episode; call it first in `reset`. A reset may abandon a running episode. */
  begin(): void {
    if (this.#phase === 'closed') throw new EpisodeOrderError(this.environment, 'reset', this.#phase);
    this.#phase = 'running';
  }

  /** Throws unless an episode is running; call it first in `step`. */
  assertRunning(): void {
    if (this.#phase !== 'running') throw new EpisodeOrderError(this.environment, 'step', this.#phase);
  }

  end(): void {
    this.#phase = 'ended';
  }

  /** Continues an ended episode, for servers that imitate an original which accepts steps after the end. */
  resume(): void {
    if (this.#phase === 'ended') this.#phase = 'running';
  }

  close(): void {
    this.#phase = 'closed';
  }
}
