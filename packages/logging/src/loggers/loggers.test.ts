// Loggers as a run uses them: written, killed, resumed, and read back; event files also by TensorBoard's own reader where it is installed.
import { jest } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { protobuf, type Trajectory } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
import type { LoggedRun, LoggedStep } from './logger.js';
import { findLogger, loggerNames, registerLogger } from './registry.js';
import { crc32c } from './tensorboard/crc32c.js';
import { EventFile } from './tensorboard/event-file.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

const run = (resumedAfter = 0): LoggedRun => ({
  directory,
  resumedAfter,
  project: 'tests',
  name: 'a run',
  config: { seed: 3, env: { words: ['dog'] }, lm_lr: null },
  inputs: [],
  note: () => {},
  onOutput: () => () => {},
  warn: (message) => {
    throw new Error(message);
  },
});

const episode: Trajectory = {
  episode: 0,
  seed: 1,
  infos: [],
  segments: [],
  transitions: [
    { observation: 'a | b', action: 'go', reward: -1, nextObservation: '', terminated: true, truncated: false },
  ],
};

const step = (iteration: number, metrics: Record<string, number>): LoggedStep => ({
  iteration,
  metrics,
  seconds: { rollout: 0.5 },
  episodes: [episode],
});

const end = { status: 'finished', results: { 'test/episodic_return': -3.5 }, model: null } as const;

test('names are found, and belong to one logger each', () => {
  expect(loggerNames()).toEqual(['csv', 'tensorboard', 'wandb']);
  const csv = findLogger('csv')!;
  registerLogger(csv);
  expect(() => registerLogger({ ...csv, open: () => Promise.reject(new Error()) })).toThrow(
    "'csv' is registered already",
  );
});

test('csv: columns are added as metrics appear; a resumed run replaces what came after its checkpoint', async () => {
  const csv = findLogger('csv')!;
  const first = await csv.open(run(), { file: 'metrics.csv' });
  await first.log(step(1, { 'rollout/a,b': 1 }));
  await first.log(step(2, { 'rollout/a,b': 2, 'eval/r': 0.5 }));
  await first.log(step(3, { 'rollout/a,b': 3 }));
  await appendFile(join(directory, 'metrics.csv'), '4,9'); // killed in the middle of a line
  const resumed = await csv.open(run(2), { file: 'metrics.csv' });
  await resumed.log(step(3, { 'rollout/a,b': -3 }));
  await resumed.close(end);
  expect(await readFile(join(directory, 'metrics.csv'), 'utf8')).toBe(
    'iteration,"rollout/a,b",eval/r\n1,1,\n2,2,0.5\n3,-3,\n',
  );
});

test('CRC-32C of the check value and of zeros', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283); // the catalogue's check value
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa); // RFC 3720, B.4
});

async function writeEvents(): Promise<string> {
  const options = { dir: 'tensorboard', episodes: 1, histograms: true };
  const first = await findLogger('tensorboard')!.open(run(), options);
  await first.log(step(1, { 'losses/nll': 2.5 }));
  await first.log(step(2, { 'losses/nll': 99 }));
  const resumed = await findLogger('tensorboard')!.open(run(1), options);
  await resumed.log(step(2, { 'losses/nll': 1.5 }));
  await resumed.close(end);
  return join(directory, 'tensorboard');
}

test('tensorboard: every record has its length and both checksums', async () => {
  const folder = await writeEvents();
  const files = await readdir(folder);
  expect(files).toHaveLength(2);
  const unmasked = (masked: number) => {
    const rotated = (masked - 0xa282ead8) >>> 0;
    return ((rotated << 15) | (rotated >>> 17)) >>> 0;
  };
  for (const file of files) {
    const bytes = await readFile(join(folder, file));
    let records = 0;
    for (let at = 0; at < bytes.length; records++) {
      const length = Number(bytes.readBigUInt64LE(at));
      expect(unmasked(bytes.readUInt32LE(at + 8))).toBe(crc32c(bytes.subarray(at, at + 8)));
      expect(unmasked(bytes.readUInt32LE(at + 12 + length))).toBe(crc32c(bytes.subarray(at + 12, at + 12 + length)));
      at += length + 16;
    }
    expect(records).toBeGreaterThanOrEqual(4);
  }
});

const reader = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1]); events.Reload()
print(json.dumps({
  'nll': [[e.step, e.value] for e in events.Scalars('losses/nll')],
  'test': events.Scalars('test/episodic_return')[0].value,
  'text': [e.tensor_proto.string_val[0].decode() for e in events.Tensors('episodes/0')] if 'episodes/0' in events.Tags()['tensors'] else [],
  'histogram': [e.histogram_value.num for e in events.Histograms('rollout/returns')] if events.Tags()['histograms'] else [],
  'plugins': sorted(tag for tag in events.summary_metadata if tag.startswith('_hparams_')),
}))`;
const python = process.env.BOWYER_PYTHON ?? 'python3';
const hasReader = spawnSync(python, ['-c', 'import tensorboard']).status === 0;

/** Reads a folder with TensorBoard's own reader. */
const read = (folder: string) =>
  JSON.parse(spawnSync(python, ['-c', reader, folder], { encoding: 'utf8' }).stdout) as Record<string, unknown>;

const { bytes, decode, double, int32, int64, messageType, optional, string } = protobuf;
const sessionEvent = messageType('Event', {
  wallTime: optional(1, double),
  step: optional(2, int64),
  fileVersion: optional(3, string),
  summary: optional(5, bytes),
  sessionLog: optional(7, messageType('SessionLog', { status: optional(1, int32) })),
});

/** Returns the steps at which the files of a folder tell TensorBoard to forget later data, in the order of the files. */
async function restarts(folder: string): Promise<number[]> {
  const steps: number[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const bytes = await readFile(join(folder, file));
    for (let at = 0; at < bytes.length;) {
      const length = Number(bytes.readBigUInt64LE(at));
      const { step, sessionLog } = decode(sessionEvent, bytes.subarray(at + 12, at + 12 + length));
      if (sessionLog?.status === 1) steps.push(Number(step ?? 0));
      at += length + 16;
    }
  }
  return steps;
}

test('tensorboard: a run that begins again, killed before its first checkpoint, makes its steps forgotten too', async () => {
  const options = { dir: 'tensorboard', episodes: 0, histograms: false };
  for (const value of [9, 8]) {
    const killed = await findLogger('tensorboard')!.open(run(), options);
    await killed.log(step(0, { 'losses/nll': value }));
    await killed.log(step(1, { 'losses/nll': value }));
    await killed.log(step(2, { 'losses/nll': value }));
  }
  const resumed = await findLogger('tensorboard')!.open(run(1), options);
  await resumed.log(step(2, { 'losses/nll': 1.5 }));
  await resumed.close(end);
  const folder = join(directory, 'tensorboard');
  expect(await restarts(folder)).toEqual([0, 0, 2]);
  if (hasReader)
    expect(read(folder)).toMatchObject({
      nll: [
        [0, 8],
        [1, 8],
        [2, 1.5],
      ],
    });
});

test('tensorboard: files are read in the order of their names, also when the clock was set back', async () => {
  const folder = join(directory, 'clock');
  const paths: string[] = [];
  for (const days of [0, -1, 0]) {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 10 + days));
    paths.push((await EventFile.create(folder)).path);
    clock.mockRestore();
  }
  expect([...paths].sort()).toEqual(paths);
});

(hasReader ? test : test.skip)('tensorboard: its own reader reads it, without the steps that were lost', async () => {
  const found = read(await writeEvents());
  expect(found).toMatchObject({
    nll: [
      [1, 2.5],
      [2, 1.5],
    ],
    test: -3.5,
    histogram: [1],
  });
  expect((found.text as string[])[0]).toContain('| a \\| b | go | -1 |');
  expect(found.plugins).toEqual(['_hparams_/session_end_info', '_hparams_/session_start_info']);
});
