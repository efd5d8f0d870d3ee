// Defines the routes of the Tinker API that list training runs, which are the server's models, and that list, publish, delete and
// download their checkpoints.
import { buffer } from 'node:stream/consumers';
import type { Exchange, Route } from '@bowyer/serving';
import type { TarHeader } from 'modern-tar';
import { packTar } from 'modern-tar/fs';
import { RequestError } from '../request-error.js';
import { pathOf, type Checkpoint } from '../store/checkpoints.js';
import type { LiveModel } from '../models/live-model.js';
import type { TinkerService } from '../tinker-service.js';
import { checkedBody } from '../wire/bodies.js';
import { direct, jsonOf, ok, plain, PREFIX, readBody } from './route-context.js';

const DEFAULT_LIMIT = 20;
const ARCHIVE_S = 3600;

export function trainingRunRoutes(service: TinkerService): Route[] {
  const { checkpoints, models, sessions } = service;
  return [
    plain('GET', 'training_runs', ({ query }) => {
      const { items, cursor } = page(models.all, query);
      return { training_runs: items.map((live) => runOf(service, live)), cursor };
    }),
    plain('GET', 'training_runs/{run}', ({ parameters: { run } }) => runOf(service, models.find(run))),
    plain('GET', 'training_runs/{run}/checkpoints', ({ parameters: { run } }) => {
      models.find(run);
      return { checkpoints: checkpoints.list(run).map(entryOf) };
    }),
    plain('GET', 'checkpoints', ({ query }) => {
      const { items, cursor } = page(checkpoints.list(), query);
      return { checkpoints: items.map(entryOf), cursor };
    }),
    plain('GET', 'sessions', ({ query }) => ({ sessions: page(sessions.ids, query).items })),
    plain('GET', 'sessions/{id}', ({ parameters: { id } }) => {
      sessions.find(id);
      const runs = models.all.filter(({ record }) => record.sessionId === id).map(({ record }) => record.id);
      return { training_run_ids: runs, sampler_ids: sessions.samplersOf(id) };
    }),
    direct(service, 'weights_info', 'weightsInfo', ({ tinker_path: path }) => {
      const { baseModel, shape } = checkpoints.find(path);
      const { rank, trainAttn, trainMlp, trainUnembed } = shape;
      const trained = { train_attn: trainAttn, train_mlp: trainMlp, train_unembed: trainUnembed };
      return { base_model: baseModel, is_lora: true, lora_rank: rank, ...trained };
    }),
    ...ofCheckpoints(service),
  ];
}

/** The two ways in which a path contains the id of a checkpoint, `weights/NAME`: as one encoded segment, or as two segments. */
const PLACES = ['{run}/checkpoints/{cid}', '{run}/checkpoints/{kind}/{name}'];

function ofCheckpoints(service: TinkerService): Route[] {
  const { checkpoints } = service;
  const found = ({ parameters: { run, cid, kind, name } }: Exchange): Checkpoint =>
    checkpoints.find(`tinker://${run}/${cid ?? `${kind}/${name}`}`);
  return PLACES.map((place) => `training_runs/${place}`).flatMap((place): Route[] => [
    plain('DELETE', place, async (exchange) => {
      await service.removeCheckpoint(pathOf(found(exchange)));
      return {};
    }),
    plain('POST', `${place}/publish`, (exchange) => published(service, found(exchange), true)),
    plain('DELETE', `${place}/publish`, (exchange) => published(service, found(exchange), false)),
    {
      method: 'PUT',
      path: `${PREFIX}/${place}/ttl`,
      respond: async (exchange) => {
        const { ttl_seconds: seconds } = checkedBody('ttl', await jsonOf(await readBody(service, exchange)));
        await checkpoints.change(pathOf(found(exchange)), { expires: seconds ? Date.now() + 1000 * seconds : null });
        return ok({});
      },
    },
    plain('GET', `${place}/archive`, (exchange) => archiveOf(exchange, found(exchange))),
    {
      method: 'GET',
      path: `${PREFIX}/${place}/archive.tar`,
      respond: async (exchange) => {
        const packed = (folder: string) => buffer(packTar(folder, { map: withoutOwner }));
        const bytes = await checkpoints.reading(found(exchange), packed);
        return { status: 200, bytes, headers: { 'content-type': 'application/x-tar' } };
      },
    },
  ]);
}

async function published(service: TinkerService, checkpoint: Checkpoint, isPublic: boolean): Promise<object> {
  await service.checkpoints.change(pathOf(checkpoint), { isPublic });
  return {};
}

/** The users of this machine do not exist where the archive is unpacked. */
const withoutOwner = (header: TarHeader): TarHeader => ({ ...header, uid: 0, gid: 0, uname: '', gname: '' });

/** The URL is valid as long as the checkpoint exists, but clients require an expiry time. */
function archiveOf({ request, path }: Exchange, { expires }: Checkpoint): object {
  const until = expires ?? Date.now() + 1000 * ARCHIVE_S;
  return { url: `http://${request.headers.host}${path}.tar`, expires: new Date(until).toISOString() };
}

function runOf({ checkpoints, options }: TinkerService, live: LiveModel): object {
  const { id, baseModel, shape, userMetadata } = live.record;
  const own = checkpoints.list(id);
  const newest = (kind: Checkpoint['kind']) => {
    const found = own.find((each) => each.kind === kind);
    return found ? entryOf(found) : null;
  };
  return {
    training_run_id: id,
    base_model: baseModel,
    model_owner: options.baseModel,
    is_lora: true,
    lora_rank: shape.rank,
    corrupted: false,
    last_request_time: new Date(live.lastRequest).toISOString(),
    last_checkpoint: newest('weights'),
    last_sampler_checkpoint: newest('sampler_weights'),
    user_metadata: userMetadata,
  };
}

const entryOf = (checkpoint: Checkpoint): object => ({
  checkpoint_id: `${checkpoint.kind}/${checkpoint.name}`,
  checkpoint_type: checkpoint.kind === 'weights' ? 'training' : 'sampler',
  time: checkpoint.time,
  tinker_path: pathOf(checkpoint),
  size_bytes: checkpoint.bytes,
  public: checkpoint.isPublic,
  expires_at: checkpoint.expires === null ? null : new Date(checkpoint.expires).toISOString(),
});

function page<Item>(items: readonly Item[], query: URLSearchParams) {
  const [limit, offset] = [numberIn(query, 'limit', DEFAULT_LIMIT), numberIn(query, 'offset', 0)];
  return { items: items.slice(offset, offset + limit), cursor: { offset, limit, total_count: items.length } };
}

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const given = query.get(name);
  if (given === null) return otherwise;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new RequestError(`${name} is '${given.slice(0, 20)}'; it must be an integer`);
}
