// Formats the most important metrics of a training run as a few lines, which a terminal shows below the run's progress bar.
import { maximum, minimum } from '@bowyer/core';
import { figuresOf, perNames } from '../figures.js';

const LABEL = 10;
const VALUE = 9;
const LONGEST_CURVE = 80;
const LEVELS = '▁▂▃▄▅▆▇█';

type Figures = Readonly<Record<string, number>>;

/** The metrics that are drawn as small curves. Each curve shows the first of its metrics that the run reports. */
const curves = [
  { label: 'return', metrics: ['rollout/episodic_return', 'eval/episodic_return'], digits: 2 },
  { label: 'win rate', metrics: ['rollout/win_rate', 'eval/win_rate'], digits: 2 },
  { label: 'loss', metrics: ['losses/nll'], digits: 4 },
] as const;

export class RunFigures {
  readonly #curves = new Map<string, number[]>();
  readonly #latest = new Map<string, number>();
  readonly #shown = perNames((names) => names.filter(isShown));
  #tokens: number | undefined;
  #seconds: Figures = {};

  /** @param dim formats labels in a dim colour */
  constructor(private readonly dim: (text: string) => string = (text) => text) {}

  /** @param seconds wall-clock time of each phase since the last call; empty if an earlier process logged the metrics */
  add(metrics: Figures, seconds: Figures): void {
    this.#tokens = metrics['rollout/tokens'];
    for (const name of this.#shown(figuresOf(metrics).names)) this.#latest.set(name, metrics[name]);
    this.#seconds = seconds;
    for (const { metrics: names } of curves)
      for (const name of names) if (metrics[name] !== undefined) this.#curveOf(name).push(metrics[name]);
  }

  lines(columns: number): string[] {
    const lines = curves.flatMap(({ label, metrics, digits }) => {
      const values = metrics.map((name) => this.#curves.get(name)).find((one) => one !== undefined);
      return values === undefined ? [] : [this.#curve(label, values, digits, columns)];
    });
    const losses = this.#named(isLoss);
    const kl = this.#named((name) => !isLoss(name));
    return [...lines, ...this.#row('losses', losses), ...this.#row('KL', kl), ...this.#speed()];
  }

  #curve(label: string, values: readonly number[], digits: number, columns: number): string {
    const extent = `${minimum(values).toFixed(digits)} … ${maximum(values).toFixed(digits)}`;
    const width = Math.min(LONGEST_CURVE, columns - LABEL - VALUE - extent.length - 4);
    const value = values.at(-1)!.toFixed(digits).padStart(VALUE);
    return `${this.#label(label)}${value}  ${sparkline(values, width)}  ${this.dim(extent)}`;
  }

  #curveOf(name: string): number[] {
    const values = this.#curves.get(name) ?? [];
    this.#curves.set(name, values);
    return values;
  }

  #named(chosen: (name: string) => boolean): string[] {
    return [...this.#latest]
      .filter(([name]) => chosen(name))
      .map(([name, value]) => `${this.dim(shortName(name))} ${short(value)}`);
  }

  #row(label: string, cells: readonly string[]): string[] {
    return cells.length === 0 ? [] : [`${this.#label(label)}${cells.join('  ')}`];
  }

  #speed(): string[] {
    const { rollout } = this.#seconds;
    const tokens = this.#tokens;
    const total = Object.values(this.#seconds).reduce((sum, value) => sum + value, 0);
    const memory = `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB ${this.dim('memory')}`;
    const sampled = tokens && rollout ? [`${Math.round(tokens / rollout)} ${this.dim('tokens/s sampled')}`] : [];
    const each = total > 0 ? [`${total.toFixed(1)} s ${this.dim('an iteration')}`] : [];
    return [`${this.#label('speed')}${[...sampled, ...each, memory].join('  ')}`];
  }

  #label(text: string): string {
    return this.dim(text.padEnd(LABEL));
  }
}

const isLoss = (name: string): boolean => name.startsWith('losses/') && name !== 'losses/nll';

const isShown = (name: string): boolean => isLoss(name) || /(^|[/_])kl(_|$)/.test(name);

/** Draws the last `width` values as block characters, scaled between the smallest and the largest value. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.slice(-Math.max(1, width));
  const [low, high] = [minimum(shown), maximum(shown)];
  const level = (value: number) =>
    high === low ? 0 : Math.min(LEVELS.length - 1, Math.floor(((value - low) / (high - low)) * LEVELS.length));
  return shown.map((value) => LEVELS[level(value)]).join('');
}

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** Returns a short label for a metric, without its group: `losses/q1` → q1, `diagnostics/kl_to_start` → to start. */
const shortName = (name: string): string => {
  const last = name.slice(name.lastIndexOf('/') + 1);
  return last.replace(/^kl_/, '').replaceAll('_', ' ');
};
