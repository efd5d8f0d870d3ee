import type { RecordedRollout } from '@bowyer/rollouts';

/** The prices of a million tokens, in any currency. */
export interface Prices {
  input: number;
  output: number;
}

/** Sums what rollouts have cost. */
export class Cost {
  total = 0;

  constructor(private readonly prices: Prices = { input: 0, output: 0 }) {}

  add({ calls }: Pick<RecordedRollout, 'calls'>): void {
    for (const { promptIds, choices } of calls) {
      const output = choices.reduce((sum, { ids }) => sum + ids.length, 0);
      this.total += (promptIds.length * this.prices.input + output * this.prices.output) / 1e6;
    }
  }
}
