// Starts a Tinker server in this process.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { SteppedTokenizer } from '@bowyer/serving';
import { openTrainingBase, TinkerClient, TinkerServer } from '@bowyer/tinker';

const quotas = {
  models: 4,
  modelBytes: 2 ** 28,
  maxRank: 8,
  requestTokens: 2 ** 16,
  datums: 1024,
  bodyBytes: 2 ** 24,
  storageBytes: 2 ** 30,
  resultBytes: 2 ** 28,
};

/** @param folder has the base in `base`, and is removed when `use` has ended */
export async function withLocalServer(
  name: string,
  folder: string,
  use: (client: TinkerClient) => Promise<void>,
): Promise<void> {
  const modelFolder = join(folder, 'base');
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const adapterBank = { places: 2, rank: 8, targetModules: 'all', dirs: [] } as const;
  const base = await openTrainingBase({ model: modelFolder, device, adapterBank });
  const server = await TinkerServer.listen({
    base,
    folder: join(folder, 'server'),
    modelFolder,
    quotas,
    name,
    tokenizer: new SteppedTokenizer(base.model.tokenizer),
    template: null,
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: 64,
    maxQueued: 4096,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
  });
  try {
    await use(new TinkerClient({ baseURL: server.url, apiKey: 'tml-local' }));
  } finally {
    await server.close();
    await base.close();
    await device.close();
    await rm(folder, { recursive: true });
  }
}
