// Coordinates model calls with changes of the weights: calls wait during a change, which waits until no call is in progress.
import { QueueFullError } from '@bowyer/serving';

export interface WeightGateOptions {
  /** The time in milliseconds for which a call waits before its client is asked to retry. */
  longestWaitMs: number;
  /** The largest number of calls that wait at the same time; the clients of further calls are asked to retry. */
  mostWaiting: number;
}

export class WeightGate {
  #inside = 0;
  #isClosed = false;
  readonly #waiting = new Set<() => void>();
  #whenEmpty: (() => void)[] = [];

  constructor(private readonly options: WeightGateOptions) {}

  /** Admits a call, after any change of the weights. @throws {QueueFullError} if the change takes longer than a call may wait */
  async enter(): Promise<void> {
    while (this.#isClosed) await this.#wait();
    this.#inside++;
  }

  leave(): void {
    this.#inside--;
    if (this.#inside > 0) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  /** Stops admitting calls, and resolves once no call is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#inside > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  open(): void {
    this.#isClosed = false;
    for (const enter of this.#waiting) enter();
    this.#waiting.clear();
  }

  #wait(): Promise<void> {
    const { longestWaitMs, mostWaiting } = this.options;
    if (this.#waiting.size >= mostWaiting) throw busy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        reject(busy());
      }, longestWaitMs);
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(enter);
    });
  }
}

const busy = (): Error => new QueueFullError('the weights of the model are being changed');
