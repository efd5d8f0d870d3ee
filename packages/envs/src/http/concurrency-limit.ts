// Runs a limited number of calls at the same time; the others wait and run in the order in which they came.
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
