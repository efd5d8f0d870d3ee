// Tables of Parquet are read in a thread of their own: a damaged file can send its reader around for ever, or fill the memory.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const MEGABYTE = 2 ** 20;

/** Bounds for a file: a small one is refused soon, and one of a gigabyte has a quarter of an hour for each group of rows. */
const MILLISECONDS = { least: 3000, ofMegabyte: 1000 };
const HEAP_MEGABYTES = { least: 64, ofMegabyte: 50 };

/** The thread as text: the tests run from sources, which a thread cannot load. It reads a group when it is asked for the next. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { path, reader, decompression } = workerData;
const plain = (value) => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value, plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
};
async function* groups() {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import(reader);
  const { compressors } = await import(decompression);
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield (await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd })).map(plain);
    rowStart = rowEnd;
  }
}
const reading = groups();
parentPort.on('message', async () => {
  try {
    const { value, done } = await reading.next();
    parentPort.postMessage({ rows: done ? null : value });
  } catch (error) {
    const isSaid = error.syscall !== undefined || /unsupported/.test(error.message);
    parentPort.postMessage({ problem: isSaid ? error.message : 'it is damaged or cut off' });
  }
});`;

/**
 * The rows of each group: 64-bit integers as numbers, dates and bytes as texts.
 *
 * @param size of the file, in bytes
 * @throws where the file is damaged, or takes more time or memory than one of its size does
 */
export async function* parquetGroups(path: string, size: number): AsyncGenerator<unknown[]> {
  const megabytes = size / MEGABYTE;
  const bound = ({ least, ofMegabyte }: typeof MILLISECONDS) => Math.ceil(least + ofMegabyte * megabytes);
  const worker = startThread(path, bound(HEAP_MEGABYTES));
  try {
    for (let rows = await nextGroup(worker, bound(MILLISECONDS)); rows !== null;) {
      yield rows;
      rows = await nextGroup(worker, bound(MILLISECONDS));
    }
  } finally {
    await worker.terminate();
  }
}

function startThread(path: string, maxOldGenerationSizeMb: number): Worker {
  const { resolve } = createRequire(import.meta.url);
  const [reader, decompression] = [resolve('hyparquet'), resolve('hyparquet-compressors')];
  const workerData = { path, reader: pathToFileURL(reader).href, decompression: pathToFileURL(decompression).href };
  return new Worker(THREAD, { eval: true, workerData, execArgv: [], resourceLimits: { maxOldGenerationSizeMb } });
}

/** @returns null behind the last one */
function nextGroup(worker: Worker, milliseconds: number): Promise<unknown[] | null> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => end(() => reject(new Error(problem)));
    const isOver = timeLimit(milliseconds);
    const timer = setInterval(() => {
      if (isOver()) fail(`a group of its rows takes more than ${Math.round(milliseconds / 1000)} s`);
    }, 200);
    const answer = ({ rows, problem }: { rows: unknown[] | null; problem?: string }) =>
      problem === undefined ? end(() => resolve(rows)) : fail(problem);
    const error = ({ message }: Error) => fail(message);
    const end = (settle: () => void) => {
      clearInterval(timer);
      worker.off('message', answer).off('error', error);
      settle();
    };
    worker.on('message', answer).on('error', error).postMessage('next');
  });
}

/** Whether so much time has passed, on the clock and in CPU time: on a busy machine a sound file takes long, too. */
function timeLimit(milliseconds: number): () => boolean {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return performance.now() - begin > milliseconds && (user + system) / 1000 > milliseconds;
  };
}
