// Draws a plot of the run's metrics as an image for W&B, in parallel with training. The image is logged with the first row after
// it is finished. The last image is put into the run's summary, since no row follows it.
import type { MediaValue, WandbRun } from '@bowyer/wandb';
import { lineChart } from '../../line-chart.js';
import type { LoggedRun } from '../logger.js';
import { Drawing } from './drawing.js';

const KEY = 'plots/metrics';

type Value = [string, MediaValue];

export class Plots {
  readonly #drawing = new Drawing();
  #drawn: Value[] = [];
  #work: Promise<void> | null = null;
  #failed = false;

  /** @param target the W&B run, with the points of each metric so far */
  constructor(
    private readonly run: Pick<LoggedRun, 'name' | 'warn'>,
    private readonly target: Pick<WandbRun, 'series' | 'image'>,
  ) {}

  /** Begins to draw the metrics that were logged so far, unless another drawing is in progress. */
  draw(step: number): void {
    // Metrics with only one point are left out, since a single point is not a curve.
    const series = [...this.target.series]
      .map(([name, points]) => ({ name, points }))
      .filter(({ points }) => points.length > 1);
    if (series.length === 0 || this.#failed || this.#work !== null) return;
    const svg = lineChart(series, { title: this.run.name, xLabel: 'iteration' });
    this.#work = this.#add(svg, step).finally(() => (this.#work = null));
  }

  /** Returns and removes the image that is finished, to be logged with the next row; empty if there is none. */
  drawn(): Value[] {
    const drawn = this.#drawn;
    this.#drawn = [];
    return drawn;
  }

  /** Draws and returns the plot of the whole run, when it ends. */
  async close(step: number): Promise<Value[]> {
    await this.#work;
    this.draw(step);
    await this.#work;
    await this.#drawing.close();
    return this.drawn();
  }

  /** Renders an image. It replaces an earlier image that was not logged yet. */
  async #add(svg: string, step: number): Promise<void> {
    try {
      this.#drawn = [[KEY, await this.target.image(KEY, step, await this.#drawing.draw(svg))]];
    } catch (error) {
      this.#failed = true;
      this.run.warn(`W&B: no images of plots: ${(error as Error).message}`);
    }
  }
}
