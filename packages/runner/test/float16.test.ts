// Tests a run in float16 with the real command. It needs a GPU with float16 in shaders, such as Mesa's lavapipe in software.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webgpuAvailable } from '@bowyer/graph';
import { newFolder, when } from '@bowyer/testing';
import { tinyGame, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

const short = ['iterations=2', 'warmup_iter=1', 'epochs=2', 'demonstrations.count=32', 'rollout_size=4', 'slots=4'];

/** Reads the metadata that a safetensors file contains with its tensors: JSON after eight bytes with its length. */
async function notesOf(path: string): Promise<Record<string, string>> {
  const file = await readFile(path);
  const header = file.subarray(8, 8 + Number(file.readBigUInt64LE(0))).toString();
  return (JSON.parse(header) as { __metadata__: Record<string, string> }).__metadata__;
}

when(await webgpuAvailable('float16'), 'no GPU with float16 in shaders').test(
  'device=webgpu precision=float16 goes through every phase, and its checkpoint holds the loss’s scales',
  async () => {
    const at = (...path: string[]) => join(directory, ...path);
    const paths = [`save_path=${at('run')}`, `cache_dir=${at('cache')}`];
    const settings = ['device=webgpu', 'precision=float16', 'test_size=4', 'eval_size=4'];
    await succeeds(runHere([...tinyGame('archer_20q'), ...short, ...settings, ...paths]));
    for (const part of ['policy', 'critic']) {
      const notes = await notesOf(at('run', 'checkpoints', '000002', part, 'optimizer.safetensors'));
      expect(Math.log2(Number(notes.loss_scale))).toBeGreaterThan(4);
      expect(Number(notes.loss_scale_good_steps)).toBeGreaterThan(0);
      expect(Number(notes.loss_scale_good_steps)).toBeLessThanOrEqual(Number(notes.steps));
    }
  },
  180_000,
);

test('float16 on a device that has it not is refused before anything starts', async () => {
  const { code, stderr } = await runHere([
    '--config-name',
    'archer_20q',
    'precision=float16',
    `save_path=${directory}/run`,
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    [
      'device.precision=float16: device.kind=cpu computes in float32',
      '  use device.kind=webgpu where there is a GPU, or device.precision=float32',
    ].join('\n'),
  );
});
