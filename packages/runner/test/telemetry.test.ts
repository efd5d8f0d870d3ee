// Tests that a run writes only into its folder and its cache. ONNX Runtime's telemetry keeps a device id in the home folder and
// sends reports; it is off unless the user turns it on.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { run, tinyGame } from './command-line.js';

test('a training run leaves the home folder empty', async () => {
  const home = newFolder();
  const folder = `save_path=${join(home, 'work/run')}`;
  // The test suite runs with this variable. It must not hide a command that does not set it.
  const env = { HOME: home, XDG_CACHE_HOME: undefined, ORT_DISABLE_TELEMETRY: undefined };
  expect(await run([...tinyGame('bc_20q'), folder], { env })).toMatchObject({ code: 0 });
  expect(await readdir(home)).toEqual(['work']);
}, 180_000);
