// Implements the kinds of requests on a model that the Tinker API has, such as forward_backward, optim_step and save_weights.
import { existsSync } from 'node:fs';
import { inTurns } from '@bowyer/serving';
import type { Result, StoredRequest } from '../futures/future-store.js';
import { RequestError } from '../request-error.js';
import {
  checkpointName,
  pathOf,
  type Checkpoint,
  type CheckpointKind,
  type Checkpoints,
} from '../store/checkpoints.js';
import { copyNewFolder } from '../store/copy-new-folder.js';
import type { AdamParams, TrainableModel } from '../training/trainable.js';
import { checkedBody, type Body } from '../wire/bodies.js';
import { lossInputOfJson, lossInputOfMessage, type LossInput } from '../wire/loss-input.js';
import { requestOf } from '../wire/messages.js';
import { jsonBody } from '../wire/request-content.js';
import { lossBytes } from '../wire/results.js';
import type { LiveModel, Operation, QueueEntry, Work } from './live-model.js';
import type { Quotas } from './model-record.js';

interface OperationContext {
  checkpoints: Checkpoints;
  quotas: Quotas;
  /** Opens the sampling session that save_weights_for_sampler returns. @returns its id */
  openSampler: (live: LiveModel, seq: number, path: string) => Promise<string>;
  /** Called when the files of a checkpoint have been written. */
  saved: (path: string) => Promise<void>;
}

const json = (content: object): Result => ({ form: 'json', json: content });

export const operationsOf = (context: OperationContext): Readonly<Record<string, Operation>> => ({
  forward_backward: forwardBackward(context.quotas),
  optim_step: {
    endsStep: true,
    async read(request) {
      const adam = adamParams(checkedBody('optimStep', await jsonBody(request)).adam_params);
      const run: Work['run'] = async (model) => json({ type: 'optim_step', metrics: await model.optimStep(adam) });
      return { changes: true, run };
    },
  },
  save_weights: saving(context, 'weights'),
  save_weights_for_sampler: saving(context, 'sampler_weights'),
  load_weights: {
    endsStep: true,
    async read(request) {
      const { path, optimizer } = checkedBody('loadWeights', await jsonBody(request));
      return { changes: true, run: (...on) => loaded(context, path, optimizer ?? false, ...on) };
    },
  },
});

/** Copies the checkpoint's files first, so that a restart loads the same ones even if it was changed or removed meanwhile. */
async function loaded(
  { checkpoints }: OperationContext,
  path: string,
  optimizer: boolean,
  model: TrainableModel,
  live: LiveModel,
  { seq, hasFailed }: QueueEntry,
): Promise<Result> {
  const copy = live.loadedFolder(seq);
  if (!existsSync(copy)) {
    if (await hasFailed()) throw new RequestError(`${path} was not loaded before a restart either`);
    const found = loadable(checkpoints, path, live);
    await checkpoints.reading(found, (folder) => copyNewFolder(folder, copy));
  }
  await model.load(copy, { optimizer });
  return json({ type: 'load_weights', path, model_id: live.record.id });
}

/** Throws RequestError if the model cannot load the checkpoint. */
function loadable(checkpoints: Checkpoints, path: string, { record }: LiveModel): Checkpoint {
  const found = checkpoints.find(path);
  if (found.kind !== 'weights')
    throw new RequestError(`${path} has an adapter alone; load what save_weights has written`);
  if (JSON.stringify(sizeOf(found)) === JSON.stringify(sizeOf(record))) return found;
  throw new RequestError(
    `${path} is of a LoRA of another kind, ${JSON.stringify(sizeOf(found))}; the model has ${JSON.stringify(sizeOf(record))}`,
  );
}

const sizeOf = ({ shape: { seed: _, ...size } }: { shape: { seed: number } }): object => size;

function forwardBackward(quotas: Quotas): Operation {
  return {
    endsStep: false,
    async read(request) {
      const { input, forwardOnly } = await inputOf(request, quotas);
      return { changes: !forwardOnly, run: (model) => losses(model, input, forwardOnly, quotas) };
    },
  };
}

async function inputOf(request: StoredRequest, quotas: Quotas): Promise<{ input: LossInput; forwardOnly: boolean }> {
  if (request.form === 'protobuf') {
    const message = requestOf(request.body, quotas.datums);
    const input = await inTurns(lossInputOfMessage(message));
    return { input, forwardOnly: message.forwardOnly ?? false };
  }
  const body = (await jsonBody(request)) as object;
  if ('forward_input' in body)
    return { input: await inTurns(lossInputOfJson(checkedBody('forward', body).forward_input)), forwardOnly: true };
  const { forward_backward_input: input, forward_only: only } = checkedBody('forwardBackward', body);
  return { input: await inTurns(lossInputOfJson(input)), forwardOnly: only ?? false };
}

async function losses(
  model: TrainableModel,
  { data, loss }: LossInput,
  forwardOnly: boolean,
  { requestTokens, datums }: Quotas,
): Promise<Result> {
  const tokens = data.reduce((sum, each) => sum + each.tokens.length, 0);
  if (data.length === 0) throw new RequestError('data has no datums');
  if (data.length > datums)
    throw new RequestError(`data has ${data.length} datums; one request may have ${datums} (task.max_datums)`);
  if (tokens > requestTokens)
    throw new RequestError(
      `data has ${tokens} tokens; one request may have ${requestTokens} (task.max_request_tokens)`,
    );
  const report = await model.forwardBackward(data, loss, { forwardOnly });
  const widths = data.map(({ width }) => width);
  return { form: 'loss', bytes: lossBytes(report, widths) };
}

/** Returns the settings of an optimizer step, with the official client's defaults for missing values. */
const adamParams = (given: Readonly<Record<string, number | null | undefined>>): AdamParams => ({
  learningRate: given.learning_rate ?? 1e-4,
  beta1: given.beta1 ?? 0.9,
  beta2: given.beta2 ?? 0.95,
  eps: given.eps ?? 1e-12,
  weightDecay: given.weight_decay ?? 0,
  gradClipNorm: given.grad_clip_norm ?? 0,
});

function saving(context: OperationContext, kind: CheckpointKind): Operation {
  return {
    endsStep: false,
    async read(request) {
      const json = await jsonBody(request);
      const body = checkedBody(kind === 'sampler_weights' ? 'saveWeightsForSampler' : 'saveWeights', json);
      return { changes: false, run: (model, live) => saved(context, kind, body, request, model, live) };
    },
  };
}

async function saved(
  context: OperationContext,
  kind: CheckpointKind,
  body: Body<'saveWeights'> | Body<'saveWeightsForSampler'>,
  request: StoredRequest,
  model: TrainableModel,
  live: LiveModel,
): Promise<Result> {
  const session = 'sampling_session_seq_id' in body ? (body.sampling_session_seq_id ?? null) : null;
  const { record } = live;
  const isEphemeral = session !== null && (body.path ?? null) === null;
  const run = record.id;
  const name = isEphemeral ? `session-${session}` : checkpointName(body.path ?? `step-${request.seq}`, { run, kind });
  const place = { run, kind, name };
  const expires = (body.ttl_seconds ?? null) === null ? null : Date.now() + 1000 * body.ttl_seconds!;
  const wanted = {
    ...place,
    request: request.id,
    baseModel: record.baseModel,
    shape: record.shape,
    expires,
    isEphemeral,
  };
  await context.checkpoints.save(wanted, body.overwrite ?? false, {
    write: (folder) => (kind === 'sampler_weights' ? model.saveForSampler(folder) : model.save(folder)),
    mostBytes: model.bytesOnDisk(kind === 'sampler_weights' ? 'sampler' : 'state'),
  });
  const path = pathOf(place);
  await context.saved(path);
  if (session === null) return json({ type: request.kind, path });
  const id = await context.openSampler(live, session, path);
  return json({ type: request.kind, path: isEphemeral ? null : path, sampling_session_id: id });
}
