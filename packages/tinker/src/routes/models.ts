// Defines the Tinker API's routes that create and train models. Each request is answered with
// a future; its sequence number, the client's or the next free one, orders the requests of a model.
import type { Exchange, Route } from '@bowyer/serving';
import type { Quotas } from '../models/model-record.js';
import { RequestError } from '../request-error.js';
import type { TinkerService } from '../tinker-service.js';
import { checkedBody } from '../wire/bodies.js';
import { placeOfMessage, requestOf } from '../wire/messages.js';
import { direct, jsonOf, keptOf, ok, PREFIX, readBody, type ReadBody } from './route-context.js';

export const modelRoutes = (service: TinkerService): Route[] => [
  futureOf(service, 'create_model', async (exchange, read) => {
    const { session_id, model_seq_id } = checkedBody('createModel', await jsonOf(read));
    service.sessions.find(session_id);
    return created(service, `${session_id}:train:${model_seq_id}`, 'create_model', exchange, read);
  }),
  direct(service, 'get_info', 'getInfo', ({ model_id }) => infoOf(service, model_id)),
  futureOf(service, 'unload_model', async (exchange, read) => {
    const { model_id } = checkedBody('unloadModel', await jsonOf(read));
    service.models.find(model_id);
    const kept = await keptOf('unload_model', exchange, read);
    const id = `${model_id}:unload`;
    return { request_id: await service.submit({ ...kept, id, model: null, seq: 0 }), model_id };
  }),
  futureOf(service, 'forward_backward', async (exchange, read) => {
    const { modelId, seqId } =
      read.form === 'protobuf' ? placeOf(read, service.options.quotas) : placeIn(await jsonOf(read));
    return inOrder(service, 'forward_backward', modelId, seqId, exchange, read);
  }),
  ordered(service, 'forward_backward', 'forward'),
  ordered(service, 'optim_step'),
  ordered(service, 'save_weights'),
  ordered(service, 'save_weights_for_sampler'),
  futureOf(service, 'load_weights', async (exchange, read) => {
    const body = await jsonOf(read);
    if (namesModel(body)) {
      const { modelId, seqId } = placeIn(body);
      return inOrder(service, 'load_weights', modelId, seqId, exchange, read);
    }
    const { session_id, model_seq_id } = checkedBody('loadWeights', body);
    if (!session_id || (model_seq_id ?? null) === null)
      throw new RequestError('load_weights needs model_id, or session_id with model_seq_id for a new model');
    service.sessions.find(session_id);
    return created(service, `${session_id}:train:${model_seq_id}`, 'load_weights', exchange, read);
  }),
];

function infoOf(service: TinkerService, id: string): object {
  const { baseModel, shape } = service.recordOf(id);
  const arch = service.options.base.model.config.model_type;
  const data = { arch, model_name: baseModel, tokenizer_id: baseModel };
  return {
    type: 'get_info',
    model_id: id,
    model_name: baseModel,
    is_lora: true,
    lora_rank: shape.rank,
    model_data: data,
  };
}

function futureOf(
  service: TinkerService,
  path: string,
  submit: (exchange: Exchange, read: ReadBody) => Promise<object>,
): Route {
  const respond = async (exchange: Exchange) => ok(await submit(exchange, await readBody(service, exchange)));
  return { method: 'POST', path: `${PREFIX}/${path}`, respond };
}

const ordered = (service: TinkerService, kind: string, path = kind) =>
  futureOf(service, path, async (exchange, read) => {
    const { modelId, seqId } = placeIn(await jsonOf(read));
    return inOrder(service, kind, modelId, seqId, exchange, read);
  });

async function inOrder(
  service: TinkerService,
  kind: string,
  model: string,
  seqId: number | null,
  exchange: Exchange,
  read: ReadBody,
): Promise<object> {
  const live = service.models.find(model);
  const kept = await keptOf(kind, exchange, read);
  const known = seqId === null ? service.futures.known({ ...kept, id: '' }) : undefined;
  const seq = seqId ?? live.freeSeq;
  const id = known ?? `${model}:${seq}`;
  return { request_id: await service.submit({ ...kept, id, model, seq }), model_id: model };
}

async function created(
  service: TinkerService,
  model: string,
  kind: string,
  exchange: Exchange,
  read: ReadBody,
): Promise<object> {
  const stored = { ...(await keptOf(kind, exchange, read)), id: `${model}:create`, model: null, seq: 0 };
  return { request_id: await service.submit(stored), model_id: model };
}

/** Sequence numbers begin at 1, since proto3 does not distinguish 0 from an absent field. */
function placeOf({ bytes }: ReadBody, { datums }: Quotas): { modelId: string; seqId: number | null } {
  const { modelId = '', seqId = 0 } = placeOfMessage(bytes, datums);
  if (modelId === '') requestOf(bytes, datums);
  if (seqId < 0) throw new RequestError(`seq_id is ${seqId}; it must be 1 or more`);
  return { modelId, seqId: seqId === 0 ? null : seqId };
}

/** Other fields are checked when the request runs: an invalid one has its place in the order, fails, and the next ones run. */
function placeIn(body: unknown): { modelId: string; seqId: number | null } {
  const { model_id, seq_id } = (body ?? {}) as { model_id?: unknown; seq_id?: unknown };
  if (typeof model_id !== 'string') throw new RequestError('model_id: expected string');
  if (seq_id !== undefined && seq_id !== null && !(Number.isInteger(seq_id) && (seq_id as number) >= 1))
    throw new RequestError('seq_id: expected an integer of 1 or more');
  return { modelId: model_id, seqId: (seq_id as number | undefined) ?? null };
}

const namesModel = (body: unknown): boolean => Boolean((body as { model_id?: unknown } | null)?.model_id);
