// Rows of Parquet files, such as those of Hugging Face's datasets, as the values that JSON has.
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, type FileMetaData } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

export interface Row {
  value: unknown;
  /** Counted from 1. */
  row: number;
}

/** One group of rows is in memory at a time. @throws with the path where the file is damaged */
export async function* readParquetRows(path: string): AsyncGenerator<Row> {
  const damaged = (error: unknown) =>
    new Error(`${path}: the Parquet file cannot be read: ${(error as Error).message}`);
  const file = await asyncBufferFromFile(path);
  const metadata: FileMetaData = await parquetMetadataAsync(file).catch((error: unknown) => {
    throw damaged(error);
  });
  let start = 0;
  for (const { num_rows: count } of metadata.row_groups) {
    const end = start + Number(count);
    const rows = await parquetReadObjects({ file, metadata, compressors, rowStart: start, rowEnd: end }).catch(
      (error: unknown) => {
        throw damaged(error);
      },
    );
    for (const [i, row] of rows.entries()) yield { value: plain(row), row: start + i + 1 };
    start = end;
  }
}

/** 64-bit integers as numbers, dates and bytes as texts. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value as Iterable<unknown>, plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
