// Implements task=serve_tinker: serves the Tinker API, over which clients train and sample LoRA adapters of a model, until the
// user stops it.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { openTrainingBase, TinkerServer, type Quotas } from '@bowyer/tinker';
import { checkTerminator } from '../../agent/policy/check-text-rules.js';
import { deviceOf } from '../../agent/policy/device-choice.js';
import type { TaskContext } from '../../context/task-context.js';
import { owningFolder } from '../../run/folder-owner.js';
import { withoutAdapters } from '../serve-model/served-adapters.js';
import { serverOptions, type ServeConfig } from '../serve-model/serve-model.js';
import { keyOf } from '../server-key.js';
import type { TaskConfig } from '../task.js';
import type { serveTinkerOptions } from './unit.js';

type TinkerConfig = ServeConfig & TaskConfig<typeof serveTinkerOptions, 'model'>;

const MIB = 2 ** 20;

export async function serveTinker(given: TinkerConfig, context: TaskContext): Promise<void> {
  const folder = resolve(given.task.folder ?? join(context.directory, 'tinker'));
  await mkdir(folder, { recursive: true });
  await owningFolder(folder, 'server', context.log, () => serveFrom(folder, given, context));
}

async function serveFrom(folder: string, given: TinkerConfig, context: TaskContext): Promise<void> {
  const { print, log, onInterrupt } = context;
  const config = { ...given, task: { ...given.task, ...withoutAdapters } };
  const { model: dir, contextLength, maxLoraRank: rank, maxSamplers: places } = config.task;
  checkKey(config.task);
  await checkTerminator(dir, config);
  const stopped = new Promise<void>((done) =>
    onInterrupt(done, 'the server stops; a restart with its folder continues'),
  );
  await using device = await openDevice(deviceOf(config));
  const adapterBank = { places, rank, targetModules: 'all', dirs: [] } as const;
  const length = contextLength === null ? {} : { contextLength };
  const base = await openTrainingBase({ model: dir, device, adapterBank, ...length });
  try {
    const options = await serverOptions(config, base.model, log);
    const server = await TinkerServer.listen({
      ...options,
      base,
      folder,
      modelFolder: dir,
      quotas: quotasOf(config.task),
    });
    print(`${dir} is served at ${server.url} as '${options.name}': set TINKER_BASE_URL to it (Ctrl-C stops it)\n`);
    await stopped;
    await server.close();
    print(`stopped: models and requests are in ${folder}\n`);
  } finally {
    await base.close();
  }
}

/** Refuses an API key for the server that does not begin with `tml-`, since Tinker's client sends no other keys. */
function checkKey({ serverKeyEnv }: TinkerConfig['task']): void {
  const key = keyOf({ serverKeyEnv });
  if (key === null || key.startsWith('tml-')) return;
  throw new Error(
    `task.server_key_env: the key in ${serverKeyEnv} does not begin with tml-, and Tinker's client sends no other\n` +
      '  choose one that does',
  );
}

const quotasOf = (task: TinkerConfig['task']): Quotas => ({
  models: task.maxModels,
  modelBytes: task.maxModelsMb * MIB,
  maxRank: task.maxLoraRank,
  requestTokens: task.maxRequestTokens,
  datums: task.maxDatums,
  bodyBytes: task.maxBodyMb * MIB,
  storageBytes: task.maxStorageMb * MIB,
  resultBytes: task.maxResultsMb * MIB,
});
