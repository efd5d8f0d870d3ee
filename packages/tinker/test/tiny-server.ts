// The server over a tiny base, for tests: in this process, or as a separate process that a test can kill.
import { openDevice } from '@bowyer/graph';
import { SteppedTokenizer } from '@bowyer/serving';
import { openTrainingBase, TinkerServer, type Quotas } from '../src/index.js';

export const quotas: Quotas = {
  models: 3,
  modelBytes: 2 ** 28,
  maxRank: 4,
  requestTokens: 2000,
  datums: 64,
  bodyBytes: 2 ** 20,
  storageBytes: 2 ** 28,
  resultBytes: 2 ** 26,
};

/** Starts a server. @param changes of the quotas, and of the wait for a request that is missing */
export async function tinyServer(
  modelFolder: string,
  folder: string,
  { missingMs, ...changes }: Partial<Quotas> & { missingMs?: number } = {},
) {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const adapterBank = { places: 2, rank: 4, targetModules: 'all', dirs: [] } as const;
  const base = await openTrainingBase({ model: modelFolder, device, adapterBank });
  const server = await TinkerServer.listen({
    base,
    folder,
    modelFolder,
    quotas: { ...quotas, ...changes },
    name: 'tiny',
    tokenizer: new SteppedTokenizer(base.model.tokenizer),
    template: null,
    host: '127.0.0.1',
    port: 0,
    apiKey: 'tml-test',
    seed: 1,
    slots: 4,
    maxQueued: 8,
    pollMs: 1000,
    missingMs,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
    onFault: (error) => console.error(error),
  });
  const close = async () => {
    await server.close();
    await base.close();
    await device.close();
  };
  return { server, base, close };
}
