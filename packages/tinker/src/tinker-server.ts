// Serves the Tinker API, the HTTP API of Thinking Machines' training service, so that its clients can train and sample LoRA
// adapters on this machine. It is a further protocol of the model server, with its own routes and its own form of errors.
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { protobuf, writeFileAtomically } from '@bowyer/core';
import { ModelServer, type Exchange, type ModelServerOptions, type Protocol, type Route } from '@bowyer/serving';
import { RequestError } from './request-error.js';
import { futureRoutes } from './routes/futures.js';
import { modelRoutes } from './routes/models.js';
import { samplingRoutes } from './routes/sampling.js';
import { startUpRoutes } from './routes/start-up.js';
import { trainingRunRoutes } from './routes/training-runs.js';
import { finishedNames } from './store/finished-names.js';
import { TinkerService, type TinkerServiceOptions } from './tinker-service.js';

export interface TinkerServerOptions
  extends
    Omit<ModelServerOptions, 'model' | 'protocols' | 'adapters' | 'observer'>,
    Pick<TinkerServiceOptions, 'base' | 'folder' | 'quotas' | 'missingMs'> {
  /** The folder of the base model. A server that continues the state of an earlier one must have the same folder. */
  modelFolder: string;
  /** The milliseconds for which a request for a result waits at most; 30,000 if not given. */
  pollMs?: number;
}

export class TinkerServer {
  private constructor(
    private readonly server: ModelServer,
    private readonly service: TinkerService,
  ) {}

  static async listen(options: TinkerServerOptions): Promise<TinkerServer> {
    const { base, slots, maxQueued, seed, onFault = () => undefined } = options;
    await checkFolder(options);
    const places = base.model.adapterBank!.layout.places;
    const given = { ...options, baseModel: options.name, places, mostSamples: slots + maxQueued, seed, onFault };
    let service: TinkerService | undefined;
    const server = await ModelServer.listen({
      ...options,
      model: base.model,
      protocols: async (engine) => [protocolOf((service = await TinkerService.open(given, engine)), options.pollMs)],
    });
    return new TinkerServer(server, service!);
  }

  /** Returns the base URL for clients. */
  get url(): string {
    return new URL(this.server.url).origin;
  }

  /** Unanswered requests stay on disk for the next server with the same folder. The base model stays open. */
  async close(): Promise<void> {
    await this.service.close();
    await this.server.close();
  }
}

function protocolOf(service: TinkerService, pollMs?: number): Protocol {
  const routes = [
    ...startUpRoutes(service),
    ...futureRoutes(service, pollMs),
    ...modelRoutes(service),
    ...samplingRoutes(service),
    ...trainingRunRoutes(service),
  ];
  return { routes: routes.map(inOwnForm), errorBody: ({ message }) => ({ detail: message }) };
}

/** Wraps a route so that its answer to an invalid request says that the client should not repeat the request. */
const inOwnForm = (route: Route): Route => ({
  ...route,
  respond: async (exchange: Exchange) => {
    try {
      return await route.respond(exchange);
    } catch (error) {
      if (error instanceof RequestError || error instanceof protobuf.MessageError) {
        const status = error instanceof RequestError ? error.status : 400;
        return { status, json: { detail: error.message }, headers: { 'x-should-retry': 'false' } };
      }
      throw error;
    }
  },
});

/** Throws if the models on disk were trained with another base model. */
async function checkFolder({ folder, modelFolder, name }: TinkerServerOptions): Promise<void> {
  await finishedNames(folder);
  const path = join(folder, 'base.json');
  const own = { model: realpathSync(modelFolder), name };
  const known = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as typeof own,
    () => null,
  );
  if (known === null) return writeFileAtomically(path, JSON.stringify(own));
  if (known.model === own.model && known.name === own.name) return;
  throw new Error(
    `${folder} has models of ${known.model}, served as '${known.name}', and the base is ${own.model}, served as '${own.name}'\n` +
      '  serve that base, or give another folder',
  );
}
