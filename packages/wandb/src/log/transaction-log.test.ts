// The log against one that the official client wrote, and at the borders of its blocks.
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { figuresOf } from './figures.js';
import { HistoryRows } from './history-row.js';
import { decodeRecord, encodeRecord, type LogRecord } from './records.js';
import { closedOnError, readLog, TransactionLog, type FramedRecord } from './transaction-log.js';

const directory = newFolder();

const fixture = join(import.meta.dirname, '../../test/fixtures/offline-run.wandb');
async function recordsOf(path: string): Promise<FramedRecord[]> {
  const records: FramedRecord[] = [];
  for await (const record of readLog(path)) records.push(record);
  return records;
}
const payloads = async (path: string) => (await recordsOf(path)).map(({ payload }) => payload);

test("the official client's file is read, and written again to the same bytes", async () => {
  const records = (await payloads(fixture)).map(decodeRecord);
  expect(records).toHaveLength(80);
  expect(records[1].run).toMatchObject({ run_id: 'k3v9q2xm', project: 'runner-demo', tags: ['base', 'cpu'] });
  const path = join(directory, 'again.wandb');
  const log = await TransactionLog.open(path, 0);
  for (const record of records) await log.append([encodeRecord(record)]);
  await log.close();
  expect((await readFile(path)).equals(await readFile(fixture))).toBe(true);
});

test('records that straddle several blocks, or end just before a border, come back', async () => {
  const path = join(directory, 'straddling.wandb');
  const log = await TransactionLog.open(path, 0);
  // The first record leaves exactly 7 bytes of the block, the third 6: a chunk of length 0, and zeros.
  const lengths = [32_768 - 7 - 7 - 7, 32_761 - 7 - 6, 100_000, 0, 32_761, 5, 70_000];
  await log.append(lengths.map((length, i) => Buffer.alloc(length, i + 1)));
  await log.close();
  expect((await payloads(path)).map((payload) => [payload.length, payload[0]])).toEqual(
    lengths.map((length, i) => [length, length === 0 ? undefined : i + 1]),
  );
});

test('a cut or damaged record ends the log; writing continues after the last whole one', async () => {
  const path = join(directory, 'cut.wandb');
  const log = await TransactionLog.open(path, 0);
  const record = (num: number): LogRecord => ({ num, output_raw: { line: 'x'.repeat(40_000) } });
  await log.append([1, 2, 3].map((num) => encodeRecord(record(num))));
  await log.close();
  const whole = await recordsOf(path);
  await truncate(path, whole[2].end - 1);
  expect(await payloads(path)).toHaveLength(2);
  const again = await TransactionLog.open(path, whole[1].end);
  await again.append([encodeRecord(record(4))]);
  await again.close();
  expect((await payloads(path)).map((payload) => decodeRecord(payload).num)).toEqual([1, 2, 4]);
  const bytes = await readFile(path);
  bytes[whole[0].end + 20] ^= 1;
  await writeFile(path, bytes);
  expect(await payloads(path)).toHaveLength(1);
  await writeFile(path, 'a text');
  await expect(payloads(path)).rejects.toThrow('is not a log of a W&B run');
});

test('a row that is encoded by hand has the bytes of the table of fields', () => {
  const figures = figuresOf({ a: 0.1 + 0.2, 'losses/é': -1e-300, ['long/'.repeat(40)]: 7, empty: NaN });
  const more = new Map([
    ['media', JSON.stringify({ text: 'ü'.repeat(100) })],
    ['_step', '300'],
  ]);
  const items = [...figures.names.map((name, i) => [name, figures.texts[i]]), ...more];
  const item = items.map(([key, value_json]) => ({ key, value_json }));
  const expected = encodeRecord({ num: 70_000, history: { item, step: { num: 300 } } });
  expect(Buffer.from(new HistoryRows(figures.names).encode(70_000, figures.texts, more, 300))).toEqual(
    Buffer.from(expected),
  );
});

test('a log that cannot be opened leaves no file open', async () => {
  const closed: string[] = [];
  const file = { close: () => Promise.resolve(void closed.push('closed')) };
  await expect(closedOnError(file, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect(await closedOnError(file, () => Promise.resolve(3))).toBe(3);
  expect(closed).toEqual(['closed']);
});
