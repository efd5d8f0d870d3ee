// The plot of a run's metrics as an image. It is drawn beside the training, and belongs to the first row after it is
// ready; the last image is in the summary, since no row follows it.
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

  /** Prepares the plots of a run. @param target has the points of each metric, which grow while the run is under way */
  constructor(
    private readonly run: Pick<LoggedRun, 'name' | 'warn'>,
    private readonly target: Pick<WandbRun, 'series' | 'image'>,
  ) {}

  /** Starts an image of the rows until now; none while another one is drawn. */
  draw(step: number): void {
    // One point does not make a curve.
    const series = [...this.target.series]
      .map(([name, points]) => ({ name, points }))
      .filter(({ points }) => points.length > 1);
    if (series.length === 0 || this.#failed || this.#work !== null) return;
    const svg = lineChart(series, { title: this.run.name, xLabel: 'iteration' });
    this.#work = this.#add(svg, step).finally(() => (this.#work = null));
  }

  /** Returns the image that is ready, and forgets it; empty where none is. */
  drawn(): Value[] {
    const drawn = this.#drawn;
    this.#drawn = [];
    return drawn;
  }

  /** Returns the image of the whole run, at its end. */
  async close(step: number): Promise<Value[]> {
    await this.#work;
    this.draw(step);
    await this.#work;
    await this.#drawing.close();
    return this.drawn();
  }

  /** Replaces an image that no row has taken. */
  async #add(svg: string, step: number): Promise<void> {
    try {
      this.#drawn = [[KEY, await this.target.image(KEY, step, await this.#drawing.draw(svg))]];
    } catch (error) {
      this.#failed = true;
      this.run.warn(`W&B: no images of plots: ${(error as Error).message}`);
    }
  }
}
