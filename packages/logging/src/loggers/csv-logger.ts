// Implements the logger `csv`: it writes the metrics as one table with a row for each iteration, which spreadsheets and data
// frames can read.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeFileAtomically, appendText } from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import { figuresOf } from '../figures.js';
import { csvCell } from '../table.js';
import type { LoggedStep, LoggerUnit, RunLogger } from './logger.js';

const options = Type.Object(
  { file: Type.String({ description: 'path of the CSV file, relative to the run’s folder' }) },
  { additionalProperties: false, description: 'the metrics as one table of comma-separated values' },
);

export const csvLogger: LoggerUnit<typeof options> = {
  name: 'csv',
  description: 'the metrics as one table',
  options,
  async open({ directory, resumedAfter }, { file }) {
    const table = new CsvTable(resolve(directory, file));
    await table.keep(resumedAfter);
    return table;
  },
};

/** Each metric's column is added when the metric first has a value, and is empty in earlier rows. */
class CsvTable implements RunLogger {
  #columns = ['iteration'];
  #known: ReadonlySet<string> = new Set(this.#columns);
  #names: readonly string[] = [];
  /** For each column, the index of its metric among the metrics of the current step; −1 if the step lacks it. */
  #places: readonly number[] = [];

  constructor(private readonly path: string) {}

  /** Removes the rows after the iteration at which the run is resumed, which an earlier process wrote. */
  async keep(iterations: number): Promise<void> {
    const lines = iterations > 0 ? await this.#lines() : [];
    if (lines.length > 0) this.#columns = lines[0].match(/"(?:[^"]|"")*"|[^,]+/g)!.map(unquoted);
    this.#known = new Set(this.#columns);
    const rows = lines.slice(1).filter((line) => Number(line.split(',', 1)[0]) <= iterations);
    await this.#write(rows);
  }

  async log({ iteration, metrics }: LoggedStep): Promise<void> {
    const { names, texts } = figuresOf(metrics);
    if (names !== this.#names) await this.#place(names);
    const cells = this.#places.map((place) => (place < 0 ? '' : texts[place]));
    cells[0] = String(iteration);
    await appendText(this.path, `${cells.join(',')}\n`);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Finds the column of each metric of a step, and adds a column for each new metric. */
  async #place(names: readonly string[]): Promise<void> {
    const added = names.filter((name) => !this.#known.has(name));
    if (added.length > 0) {
      const rows = (await this.#lines()).slice(1).map((row) => row + ','.repeat(added.length));
      this.#columns = [...this.#columns, ...added];
      this.#known = new Set(this.#columns);
      await this.#write(rows);
    }
    const places = new Map(names.map((name, i) => [name, i]));
    this.#places = this.#columns.map((column) => places.get(column) ?? -1);
    this.#names = names;
  }

  async #lines(): Promise<string[]> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean); // the last line may be incomplete if the process was killed
  }

  #write(rows: readonly string[]): Promise<void> {
    const header = this.#columns.map(csvCell).join(',');
    return writeFileAtomically(this.path, [header, ...rows].map((line) => `${line}\n`).join(''));
  }
}

const unquoted = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
