// Fields of adapter_config.json against peft 0.21; tools/record-fields.py recorded what it makes of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice, type Device } from '@bowyer/graph';
import { writeSafetensors, type ConfigJson } from '@bowyer/checkpoints';
import { LanguageModel } from '../src/language-model/language-model.js';
import { recorded, weightsOf, writeFolder } from './field-folders.js';
import { continuationExample } from './reference/continuation-example.js';

interface Recording {
  ids: number[];
  base: ConfigJson;
  cases: {
    title: string;
    adapter: ConfigJson;
    /** Shapes in the file. */
    tensors: Record<string, number[]>;
    logprobs: number[];
    refused?: string;
  }[];
}

const { ids, base, cases } = recorded<Recording>('adapters');
const folder = mkdtempSync(join(tmpdir(), 'adapter-fields-'));
const dir = join(folder, 'adapter');
let device: Device;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  await writeFolder(join(folder, 'base'), { config: base });
});
afterAll(async () => {
  await device.close();
  rmSync(folder, { recursive: true });
});

async function logprobs(path: string): Promise<number[]> {
  const model = await LanguageModel.load({ device, dir: path, masksPadding: false });
  const [scores] = await model.logprobs([continuationExample(ids.slice(0, 1), ids.slice(1))]);
  await model.saveMerged(join(folder, 'merged'));
  await model.release();
  return [...scores];
}

test.each(cases)('$title: as peft has it, also merged', async ({ adapter, tensors, logprobs: expected, refused }) => {
  mkdirSync(dir, { recursive: true });
  const named = { ...adapter, base_model_name_or_path: join(folder, 'base') };
  writeFileSync(join(dir, 'adapter_config.json'), JSON.stringify(named));
  const weights = Object.entries(tensors).map(([name, shape]) => [name, weightsOf(name, shape)] as const);
  await writeSafetensors(join(dir, 'adapter_model.safetensors'), Object.fromEntries(weights));
  if (refused !== undefined) {
    await expect(logprobs(dir)).rejects.toThrow(`adapter_config.json: ${refused} is `);
    return;
  }
  for (const path of [dir, join(folder, 'merged')]) {
    const found = await logprobs(path);
    const most = found.reduce((largest, x, i) => Math.max(largest, Math.abs(x - expected[i])), 0);
    expect(most).toBeLessThan(1e-4);
  }
});
