// Computes how many tokens and seconds the rollouts with each model of an evaluation have used, and their price.
import { maximum, minimum } from '@bowyer/core';
import { costOf, usageOf, type Prices, type RecordedRollout, type Usage } from '@bowyer/rollouts';
import { textTable } from '@bowyer/logging';
import { intervalText, type PolicyResult } from '../../run/results.js';

export interface ModelCost {
  name: string;
  /** The mean number of tokens of a rollout; null where the endpoint does not report the tokens of all calls. */
  tokens: Usage | null;
  /** The mean number of seconds from the start of a rollout's first model call to the end of its last one. */
  seconds: number;
  /** The price of a thousand rollouts in the currency of `prices`; null without prices or without known tokens. */
  thousand: number | null;
}

export class UsageMeter {
  #rollouts = 0;
  #seconds = 0;
  #tokens: Usage | null = { input: 0, output: 0 };

  add = ({ calls }: Pick<RecordedRollout, 'calls'>): void => {
    this.#rollouts++;
    const begins = calls.map(({ startedAt }) => startedAt);
    const ends = calls.map(({ endedAt }) => endedAt);
    if (calls.length > 0) this.#seconds += (maximum(ends) - minimum(begins)) / 1000;
    for (const call of calls) {
      const used = usageOf(call);
      this.#tokens =
        this.#tokens === null || used === null
          ? null
          : { input: this.#tokens.input + used.input, output: this.#tokens.output + used.output };
    }
  };

  costs(name: string, prices: Prices | undefined): ModelCost {
    const count = Math.max(1, this.#rollouts);
    const tokens = this.#tokens && { input: this.#tokens.input / count, output: this.#tokens.output / count };
    return {
      name,
      tokens,
      seconds: this.#seconds / count,
      thousand: tokens && prices ? 1000 * costOf(tokens, prices) : null,
    };
  }
}

/** Writes a table with one line for each model: its scores, and the tokens, seconds and money that its rollouts use. */
export function costText(policies: readonly PolicyResult[], costs: readonly ModelCost[]): string {
  const rows = policies.map(({ metrics, interval }, i) => {
    const { name, tokens, seconds, thousand } = costs[i];
    const figures = metrics as Partial<typeof metrics>;
    return [
      name,
      figures['test/episodic_return']?.toFixed(3) ?? '–',
      interval ? intervalText(interval) : '–',
      tokens?.input.toFixed(0) ?? '–',
      tokens?.output.toFixed(0) ?? '–',
      seconds.toFixed(2),
      thousand?.toPrecision(4) ?? '–',
    ];
  });
  const header = [
    'model',
    'reward',
    '95 % interval',
    'input tokens',
    'output tokens',
    'seconds',
    'price of 1000 rollouts',
  ];
  return textTable(header, rows);
}
