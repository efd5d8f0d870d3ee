// Redraws the live region of a terminal: its last lines, which show progress. The lines above are not changed.
import { stripVTControlCharacters, styleText } from 'node:util';
import type { createLogUpdate } from 'log-update';

/** A stream that is a terminal, such as `process.stderr`. */
export interface TerminalStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string): unknown;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/** A function that returns the lines to show in a terminal of this size. Lines wider than the terminal are cut. */
export type LiveText = (size: { columns: number; rows: number }) => string[];

/** The number of redraws per second. If the text has not changed, it is not written again. */
const FRAMES_PER_SECOND = 5;
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** Returns the escape sequence that moves the cursor up by some rows and clears the screen below. */
const clearRows = (rows: number): string => (rows > 0 ? `\x1b[${rows}A\r\x1b[J` : '');

/** Returns whether a stream is a terminal in which lines can be redrawn. */
export const isLiveTerminal = (stream: object): stream is TerminalStream =>
  'isTTY' in stream && stream.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI;

export class LiveRegion {
  /** The texts whose display was begun and has not ended. Only the last one is shown. */
  readonly #texts: LiveText[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** The lengths in characters of the lines that are on the screen. */
  #drawn: number[] = [];
  #width = 0;

  private constructor(
    private readonly stream: TerminalStream,
    private readonly colours: boolean,
    private readonly render: ReturnType<typeof createLogUpdate>,
    private readonly sliced: (line: string, start: number, end: number) => string,
  ) {}

  /**
   * Also loads the modules that only terminals need.
   *
   * @param colours false: plain text, as the environment variable NO_COLOR demands (no-color.org)
   */
  static async open(stream: TerminalStream, colours: boolean = !process.env.NO_COLOR): Promise<LiveRegion> {
    const { createLogUpdate } = await import('log-update');
    const { default: sliced } = await import('slice-ansi');
    const render = createLogUpdate(stream as NodeJS.WriteStream, { showCursor: true });
    return new LiveRegion(stream, colours, render, sliced);
  }

  /** Returns the text in a dim colour, for labels beside numbers. */
  dim(text: string): string {
    return this.colours ? styleText('dim', text) : text;
  }

  bold(text: string): string {
    return this.colours ? styleText('bold', text) : text;
  }

  show(text: LiveText): void {
    if (this.#texts.includes(text)) return;
    this.#texts.push(text);
    if (this.#timer === null) this.#open();
    this.#draw();
  }

  refresh(): void {
    this.#draw();
  }

  /** Ends the display of a text. @param keep whether its last lines stay on the screen */
  end(text: LiveText, keep: boolean): void {
    const index = this.#texts.indexOf(text);
    if (index < 0) return;
    this.#texts.splice(index, 1);
    if (keep) this.above(() => this.stream.write(`${this.#cut(text).join('\n')}\n`));
    else this.#draw();
    if (this.#texts.length === 0) this.#close();
  }

  /** Removes the live region from the screen while `write` writes lines, which then are above it. */
  above(write: () => void): void {
    this.#erase();
    write();
    this.#draw();
  }

  /** Closes the live region. The text that it shows stays on the screen. */
  close(): void {
    if (this.#texts.length > 0) this.#draw();
    this.#texts.length = 0;
    this.#close();
  }

  #open(): void {
    this.stream.write(HIDE_CURSOR);
    this.stream.on?.('resize', this.#draw);
    process.once('exit', this.#showCursor);
    this.#timer = setInterval(this.#draw, 1000 / FRAMES_PER_SECOND);
    this.#timer.unref();
  }

  #close(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.stream.off?.('resize', this.#draw);
    process.off('exit', this.#showCursor);
    this.render.done();
    this.#drawn = [];
    this.#showCursor();
  }

  readonly #showCursor = () => void this.stream.write(SHOW_CURSOR);

  readonly #draw = (): void => {
    const text = this.#texts.at(-1);
    if (text === undefined) return this.#erase();
    if (this.#columns !== this.#width) this.#erase();
    this.#width = this.#columns;
    const lines = this.#cut(text);
    this.#drawn = lines.map((line) => stripVTControlCharacters(line).length);
    this.render(lines.join('\n'));
  };

  /**
   * Removes the drawn lines from the screen. If the terminal became narrower, it has wrapped them, so that they fill more rows
   * than were drawn.
   */
  #erase(): void {
    if (this.#drawn.length === 0) return;
    const rows = this.#drawn.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / this.#columns)), 0);
    this.render.done();
    this.#drawn = [];
    this.stream.write(clearRows(rows));
  }

  #cut(text: LiveText): string[] {
    const [columns, rows] = [this.#columns, this.stream.rows ?? 24];
    // One column and one row are not used, since a terminal may wrap a line at the last column, and scrolls at the last row.
    return text({ columns: columns - 1, rows: rows - 1 })
      .slice(0, rows - 1)
      .map((line) => this.sliced(line, 0, columns - 1));
  }

  get #columns(): number {
    return this.stream.columns || 80;
  }
}
