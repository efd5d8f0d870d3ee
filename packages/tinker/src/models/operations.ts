// The work that each kind of request does on a model.
import { protobuf } from '@bowyer/core';
import { jsonBody, type StoredRequest, type Result } from '../futures/future-store.js';
import { RequestError } from '../request-error.js';
import { checkpointName, pathOf, type CheckpointKind, type Checkpoints } from '../store/checkpoints.js';
import type { AdamParams } from '../training/trainable.js';
import { checkedBody } from '../wire/bodies.js';
import { lossInputOfJson, lossInputOfMessage, type LossInput } from '../wire/loss-input.js';
import { forwardBackwardRequest } from '../wire/messages.js';
import { lossBytes } from '../wire/results.js';
import type { LiveModel, Operation } from './live-model.js';
import type { Quotas } from './model-record.js';

export interface OperationContext {
  checkpoints: Checkpoints;
  quotas: Quotas;
  /** Makes the sampling session that save_weights_for_sampler asks for. @returns its id */
  openSampler: (live: LiveModel, seq: number, path: string) => Promise<string>;
  /** The files of a checkpoint have been written. */
  saved: (path: string) => Promise<void>;
}

const json = (content: object): Result => ({ form: 'json', json: content });

export const operationsOf = (context: OperationContext): Readonly<Record<string, Operation>> => ({
  forward_backward: forwardBackward(context.quotas),
  optim_step: {
    changes: () => true,
    endsStep: true,
    async run(model, request) {
      const metrics = await model.optimStep(adamParams(checkedBody('optimStep', jsonBody(request)).adam_params));
      return json({ type: 'optim_step', metrics });
    },
  },
  save_weights: saving(context, 'weights'),
  save_weights_for_sampler: saving(context, 'sampler_weights'),
  load_weights: {
    changes: () => true,
    endsStep: true,
    async run(model, request, { record }) {
      const { path, optimizer } = checkedBody('loadWeights', jsonBody(request));
      const found = context.checkpoints.find(path);
      if (found.kind !== 'weights')
        throw new RequestError(`${path} has an adapter alone; load what save_weights has written`);
      if (JSON.stringify(sizeOf(found)) !== JSON.stringify(sizeOf(record)))
        throw new RequestError(
          `${path} is of a LoRA of another kind, ${JSON.stringify(sizeOf(found))}; the model has ${JSON.stringify(sizeOf(record))}`,
        );
      await model.load(context.checkpoints.folderOf(found), { optimizer: optimizer ?? false });
      return json({ type: 'load_weights', path, model_id: record.id });
    },
  },
});

const sizeOf = ({ shape: { seed: _, ...size } }: { shape: { seed: number } }): object => size;

function forwardBackward({ requestTokens, datums }: Quotas): Operation {
  const inputOf = (request: StoredRequest): { input: LossInput; forwardOnly: boolean } => {
    if (request.form === 'protobuf') {
      const message = protobuf.decode(forwardBackwardRequest, request.body);
      return { input: lossInputOfMessage(message), forwardOnly: message.forwardOnly ?? false };
    }
    const body = jsonBody(request) as object;
    if ('forward_input' in body)
      return { input: lossInputOfJson(checkedBody('forward', body).forward_input), forwardOnly: true };
    const { forward_backward_input: input, forward_only: only } = checkedBody('forwardBackward', body);
    return { input: lossInputOfJson(input), forwardOnly: only ?? false };
  };
  return {
    changes: (request) => {
      try {
        return !inputOf(request).forwardOnly;
      } catch {
        return false; // it fails again
      }
    },
    endsStep: false,
    async run(model, request) {
      const { input, forwardOnly } = inputOf(request);
      const { data, loss } = input;
      const tokens = data.reduce((sum, each) => sum + each.tokens.length, 0);
      if (data.length === 0) throw new RequestError('data has no datums');
      if (data.length > datums)
        throw new RequestError(`data has ${data.length} datums; one request may have ${datums} (max_datums)`);
      if (tokens > requestTokens)
        throw new RequestError(`data has ${tokens} tokens; one request may have ${requestTokens} (max_request_tokens)`);
      const report = await model.forwardBackward(data, loss, { forwardOnly });
      return {
        form: 'loss',
        bytes: lossBytes(
          report,
          data.map(({ width }) => width),
        ),
      };
    },
  };
}

/** The client's own defaults, for what it leaves out. */
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
    changes: () => false,
    endsStep: false,
    async run(model, request, live) {
      const isSampler = kind === 'sampler_weights';
      const body = checkedBody(isSampler ? 'saveWeightsForSampler' : 'saveWeights', jsonBody(request));
      const session = 'sampling_session_seq_id' in body ? (body.sampling_session_seq_id ?? null) : null;
      const { record } = live;
      const isEphemeral = session !== null && (body.path ?? null) === null;
      const place = {
        run: record.id,
        kind,
        name: isEphemeral ? `session-${session}` : checkpointName(body.path ?? `step-${request.seq}`),
      };
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
        write: (folder) => (isSampler ? model.saveForSampler(folder) : model.save(folder)),
        mostBytes: model.bytesOnDisk(isSampler ? 'sampler' : 'state'),
      });
      const path = pathOf(place);
      await context.saved(path);
      if (session === null) return json({ type: request.kind, path });
      const id = await context.openSampler(live, session, path);
      return json({ type: request.kind, path: isEphemeral ? null : path, sampling_session_id: id });
    },
  };
}
