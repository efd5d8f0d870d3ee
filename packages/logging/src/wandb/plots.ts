// The image of a run's metrics. It is drawn beside the training and is part of the next row after it is ready; the last one is
// in the summary, as no row follows it.
import { lineChart } from '../line-chart.js';
import type { LoggedRun } from '../loggers/logger.js';
import { Drawing } from './drawing.js';
import { imageValue, type MediaValue } from './media.js';

const KEY = 'plots/metrics';

type Value = [string, MediaValue];
type Points = readonly { x: number; y: number }[];

export class Plots {
  readonly #drawing = new Drawing();
  #drawn: Value[] = [];
  #work: Promise<void> | null = null;
  #failed = false;

  /**
   * @param files folder of the run's files
   * @param series points of each metric, which grow while the run is under way
   */
  constructor(
    private readonly run: Pick<LoggedRun, 'name' | 'warn'>,
    private readonly files: string,
    private readonly series: ReadonlyMap<string, Points>,
  ) {}

  /** Starts an image of the rows until now; none while another one is drawn. */
  draw(step: number): void {
    // One point is no curve.
    const series = [...this.series]
      .map(([name, points]) => ({ name, points }))
      .filter(({ points }) => points.length > 1);
    if (series.length === 0 || this.#failed || this.#work !== null) return;
    const svg = lineChart(series, { title: this.run.name, xLabel: 'iteration' });
    this.#work = this.#add(svg, step).finally(() => (this.#work = null));
  }

  /** The image that is ready, once; empty: none. */
  drawn(): Value[] {
    const drawn = this.#drawn;
    this.#drawn = [];
    return drawn;
  }

  /** The image of the whole run, at its end. */
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
      this.#drawn = [[KEY, await imageValue(this.files, { key: KEY, step }, await this.#drawing.draw(svg))]];
    } catch (error) {
      this.#failed = true;
      this.run.warn(`W&B: no images of plots: ${(error as Error).message}`);
    }
  }
}
