// Reads the rows of Parquet files, such as those of Hugging Face's datasets, as JSON values.
import { stat } from 'node:fs/promises';
import { jsonValue } from './json-value.js';
import { parquetGroups } from './parquet-thread.js';

export interface Row {
  value: unknown;
  /** Counted from 1. */
  row: number;
}

/** Reads rows, one row group in memory at a time. @throws an error that names a damaged file's path; ENOENT if it is missing */
export async function* readParquetRows(path: string): AsyncGenerator<Row> {
  const { size } = await stat(path);
  const groups = parquetGroups(path, size);
  let row = 0;
  try {
    for (;;) {
      const { value, done } = await groups.next().catch((error: unknown) => {
        throw new Error(`${path}: the Parquet file cannot be read: ${(error as Error).message}`);
      });
      if (done === true) return;
      for (const each of value) yield { value: jsonValue(each), row: ++row };
    }
  } finally {
    await groups.return(undefined);
  }
}
