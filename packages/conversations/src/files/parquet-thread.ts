// Reads Parquet in a worker thread, which can be stopped: a damaged file can make the library run forever or fill the memory.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const MEGABYTE = 2 ** 20;

/** The time limit per row group, with a second per megabyte: a small damaged file fails soon, a gigabyte has 15 minutes. */
const MILLISECONDS = { least: 3000, ofMegabyte: 1000 };
const HEAP_MEGABYTES = { least: 64, ofMegabyte: 50 };

/**
 * The program of the worker thread. It is a string, since a worker thread cannot load TypeScript sources, which the tests run. It
 * reads one row group per request. Rows are returned as JSON texts: numbers have all their digits, and those of float columns
 * have a point, as Python prints them. Null members of structs are omitted: a struct in a Parquet file has the keys of all rows,
 * so that a null stands for a key that the row lacked before it was written.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { path, reader, decompression } = workerData;
process.on('unhandledRejection', () => undefined); // hyparquet leaves the promises of missing columns, as a damaged schema gives them, without a handler
class Json {
  constructor(text) { JSON.parse(this.text = text); }
}
const parsers = { jsonFromBytes: (bytes) => bytes && new Json(Buffer.from(bytes).toString()) };
const isList = ({ converted_type, logical_type } = {}) => converted_type === 'LIST' || logical_type?.type === 'LIST';
const isMap = ({ converted_type, logical_type } = {}) => /^MAP/.test(converted_type ?? '') || logical_type?.type === 'MAP';
const itemOf = (node) => {
  if (!isList(node?.element)) return node;
  const [repeated] = node.children;
  return repeated.children.length === 1 ? repeated.children[0] : repeated;
};
const floatText = (value) => {
  const text = String(value);
  return /^-?\\d+$/.test(text) ? text + '.0' : text;
};
const jsonOf = (value, node) => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Number.isFinite(value))
    return /^(DOUBLE|FLOAT)$/.test(node?.element.type) ? floatText(value) : String(value);
  if (value instanceof Json) return value.text;
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const item = itemOf(node);
    return '[' + Array.from(value, (each) => jsonOf(each, item)).join() + ']';
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value ?? null);
  const ofMap = isMap(node?.element) ? node.children[0].children[1] : null;
  const of = (key) => ofMap ?? node?.children.find(({ element }) => element.name === key);
  const members = Object.entries(value).filter(([, each]) => ofMap !== null || (each ?? null) !== null);
  return '{' + members.map(([key, each]) => JSON.stringify(key) + ':' + jsonOf(each, of(key))).join() + '}';
};
async function* groups() {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import(reader);
  const { compressors } = await import(decompression);
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const root = parquetSchema(metadata);
  const names = root.children.map(({ element }) => element.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Error('unsupported: two columns have the name ' + JSON.stringify(twice));
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    const rows = await parquetReadObjects({ file, metadata, compressors, parsers, rowStart, rowEnd });
    yield rows.map((row) => jsonOf(row, root));
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
 * Yields the rows of one row group after another as JSON texts. Dates and bytes are strings in them.
 *
 * @param size of the file in bytes
 * @throws if the file is damaged, or exceeds the limits on time or memory for its size
 */
export async function* parquetGroups(path: string, size: number): AsyncGenerator<string[]> {
  const megabytes = size / MEGABYTE;
  const bound = ({ least, ofMegabyte }: typeof MILLISECONDS) => Math.ceil(least + ofMegabyte * megabytes);
  const worker = startThread(path, bound(HEAP_MEGABYTES));
  worker.on('error', () => undefined); // without a listener, an error between two requests would end the process
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

/** Requests the rows of the next row group from the thread; null after the last group. */
function nextGroup(worker: Worker, milliseconds: number): Promise<string[] | null> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => end(() => reject(new Error(problem)));
    const isOver = timeLimit(milliseconds);
    const timer = setInterval(() => {
      if (isOver()) fail(`a group of its rows takes more than ${Math.round(milliseconds / 1000)} s`);
    }, 200);
    const answer = ({ rows, problem }: { rows: string[] | null; problem?: string }) =>
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

/** Returns a check whether the time has passed on the clock and as CPU time: on a busy machine only CPU time shows the work. */
function timeLimit(milliseconds: number): () => boolean {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return performance.now() - begin > milliseconds && (user + system) / 1000 > milliseconds;
  };
}
