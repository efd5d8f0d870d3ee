// Limits the number of simultaneous calls. Further calls wait in the order of their arrival.
export class ConcurrencyLimit {
  #atWork = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly atOnce: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#atWork >= this.atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#atWork++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#atWork--;
      else next(); // the next call takes the place of this one
    }
  }
}
