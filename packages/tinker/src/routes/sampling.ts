// Defines the routes of the Tinker API that create sampling sessions and request samples.
import { createHash } from 'node:crypto';
import type { Exchange, Route } from '@bowyer/serving';
import { RequestError } from '../request-error.js';
import type { TinkerService } from '../tinker-service.js';
import type { Body } from '../wire/bodies.js';
import { direct, keptOf, keyOf, plain } from './route-context.js';

export const samplingRoutes = (service: TinkerService): Route[] => [
  direct(service, 'create_sampling_session', 'createSamplingSession', async (body) => {
    const { session_id, sampling_session_seq_id: seq, base_model, model_path } = body;
    service.sessions.find(session_id);
    if (!model_path && !base_model) throw new RequestError('one of base_model and model_path is needed');
    if (base_model) service.models.checkBase(base_model);
    if (model_path) service.checkSampled(model_path);
    const { id } = await service.sessions.openSampler(session_id, seq, model_path ?? null);
    return { type: 'create_sampling_session', sampling_session_id: id };
  }),
  plain('GET', 'samplers/{id}', ({ parameters: { id } }) => {
    const { path } = service.sessions.findSampler(id);
    return { sampler_id: id, base_model: service.options.baseModel, ...(path !== null && { model_path: path }) };
  }),
  direct(service, 'asample', 'asample', async (body, exchange, read) => {
    if (body.sampling_session_id) service.sessions.findSampler(body.sampling_session_id);
    const id = idOf(service, body, exchange);
    const stored = { ...(await keptOf('asample', exchange, read)), id, model: null, seq: 0 };
    const request = await service.submit(stored, body);
    const { num_samples: samples = 1 } = body;
    return { request_id: request, sample_sequence_ids: Array.from({ length: samples }, (_, i) => `${request}:${i}`) };
  }),
];

function idOf(service: TinkerService, body: Body<'asample'>, exchange: Exchange): string {
  const { sampling_session_id: session, seq_id: seq } = body;
  if (session && (seq ?? null) !== null) return `${session}:${seq}`;
  const key = keyOf(exchange);
  return `sample:${key === null ? service.newId() : createHash('sha256').update(key).digest('hex')}`;
}
