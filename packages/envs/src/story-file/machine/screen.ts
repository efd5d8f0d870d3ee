// Collects the text that a game prints: main window, upper window (status lines), and tables in memory. Source: The Z-Machine
// Standards Document 1.1, sections 7 (output streams) and 8 (the screen), reduced to plain text.

export const SCREEN_COLUMNS = 128;
/** The screen height reported to games; 255 is unlimited, so that they do not wait for a key after a page (section 11.1.5). */
export const SCREEN_ROWS = 255;

/** The largest number of nested output streams to memory (section 7.1.2.1.1 of the standard). */
const MAX_MEMORY_STREAMS = 16;

const BLANK = 32;
const NEWLINE = 10;

const blankRow = () => new Uint16Array(SCREEN_COLUMNS).fill(BLANK);

export interface ScreenState {
  window: number;
  upper: readonly Uint16Array[];
  row: number;
  column: number;
  streams: readonly { table: number; text: string }[];
  isScreenOn: boolean;
}

export class Screen {
  #mainText = '';
  #window = 0;
  /** The character codes of the upper window. Each element is a row of SCREEN_COLUMNS codes. */
  #upper: Uint16Array[] = [];
  #row = 0;
  #column = 0;
  #memoryStreams: { table: number; text: string }[] = [];
  #isScreenOn = true;

  print(text: string): void {
    const stream = this.#memoryStreams.at(-1);
    if (stream !== undefined) stream.text += text;
    else if (!this.#isScreenOn) return;
    else if (this.#window === 0) this.#mainText += text;
    else this.#printUpper(text);
  }

  /** Returns the text that was printed to the main window since the last call. */
  take(): string {
    const text = this.#mainText;
    this.#mainText = '';
    return text;
  }

  /** The text of the upper window by line, without trailing spaces. */
  get upperLines(): string[] {
    return this.#upper.map((row) =>
      Array.from(row, (code) => String.fromCharCode(code))
        .join('')
        .trimEnd(),
    );
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  selectScreen(isOn: boolean): void {
    this.#isScreenOn = isOn;
  }

  /** Redirects the text that the game prints to a table in memory. @returns false if too many streams are nested */
  openMemoryStream(table: number): boolean {
    if (this.#memoryStreams.length >= MAX_MEMORY_STREAMS) return false;
    this.#memoryStreams.push({ table, text: '' });
    return true;
  }

  closeMemoryStream(): { table: number; text: string } | undefined {
    return this.#memoryStreams.pop();
  }

  splitWindow(lines: number): void {
    this.#upper.length = Math.min(this.#upper.length, lines);
    while (this.#upper.length < lines) this.#upper.push(blankRow());
    if (this.#row >= lines) [this.#row, this.#column] = [0, 0];
  }

  setWindow(window: number): void {
    this.#window = window;
    if (window === 1) [this.#row, this.#column] = [0, 0];
  }

  /** Moves the cursor, counted from 0, of the upper window; that of the main window is fixed (section 8.7.2.3). */
  setCursor(row: number, column: number): void {
    if (this.#window !== 1) return;
    while (this.#upper.length <= row && row < SCREEN_ROWS) this.#upper.push(blankRow());
    [this.#row, this.#column] = [row, column];
  }

  /**
   * Clears windows, but keeps the main window's text, which a player has read. @param window −1: all windows, and the upper one
   * is removed; −2: all windows; 1: the upper window
   */
  eraseWindow(window: number): void {
    if (window === -1) this.splitWindow(0);
    if (window === -1) this.#window = 0;
    if (window !== 0) this.#upper = this.#upper.map(blankRow);
  }

  eraseToEndOfLine(): void {
    if (this.#window === 1) this.#upper[this.#row]?.fill(BLANK, this.#column);
  }

  save(): ScreenState {
    return {
      window: this.#window,
      upper: this.#upper.map((row) => row.slice()),
      row: this.#row,
      column: this.#column,
      streams: this.#memoryStreams.map((stream) => ({ ...stream })),
      isScreenOn: this.#isScreenOn,
    };
  }

  /** Restores a saved state of the screen. Text of the main window that `take` has not returned yet is dropped. */
  restore(state: ScreenState): void {
    this.#mainText = '';
    this.#window = state.window;
    this.#upper = state.upper.map((row) => row.slice());
    [this.#row, this.#column] = [state.row, state.column];
    this.#memoryStreams = state.streams.map((stream) => ({ ...stream }));
    this.#isScreenOn = state.isScreenOn;
  }

  #printUpper(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === NEWLINE) [this.#row, this.#column] = [this.#row + 1, 0];
      else if (this.#row < this.#upper.length) this.#upper[this.#row][this.#column++] = code; // text beyond the edge is dropped
    }
  }
}

export const initialScreenState: ScreenState = {
  window: 0,
  upper: [],
  row: 0,
  column: 0,
  streams: [],
  isScreenOn: true,
};
