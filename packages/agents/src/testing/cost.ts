import { costOf, usageOf, type Prices, type RecordedRollout } from '@bowyer/rollouts';

/** Sums what rollouts have cost. */
export class Cost {
  total = 0;

  constructor(private readonly prices: Prices = { input: 0, output: 0 }) {}

  add({ calls }: Pick<RecordedRollout, 'calls'>): void {
    for (const call of calls) this.total += costOf(usageOf(call) ?? { input: 0, output: 0 }, this.prices);
  }
}
