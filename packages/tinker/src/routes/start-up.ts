// Defines the Tinker API's routes for a client's start and running: sessions, heartbeats, feature flags, telemetry.
import { randomUUID } from 'node:crypto';
import type { Route } from '@bowyer/serving';
import type { TinkerService } from '../tinker-service.js';
import { RequestError } from '../request-error.js';
import { hashOf } from '../wire/request-content.js';
import { direct, keyOf, plain } from './route-context.js';

/** The most characters that the tags of a session may have as JSON. */
const MOST_TAGS = 16_384;

/** The seconds for which a client may use the feature flags that it has received before it asks again. */
const REFRESH_S = 300;

export function startUpRoutes(service: TinkerService): Route[] {
  const { quotas, base, baseModel } = service.options;
  const flags = {
    pjwt_auth_enabled: false,
    credential_default_source: 'api_key',
    use_pyqwest_transport: false,
    parallel_fwdbwd_chunks: true,
    proto_compress_fwdbwd: false,
    fwdbwd_max_chunk_len: quotas.datums,
    fwdbwd_max_chunk_bytes_count: Math.min(5_000_000, quotas.bodyBytes),
    create_model_via_load_weights: false,
  };
  const model = {
    model_name: baseModel,
    max_context_length: base.model.contextLength,
    trainable: true,
    sampleable: true,
  };
  return [
    direct(service, 'client/config', 'clientConfig', () => flags),
    direct(service, 'client/dynamic_config', 'clientDynamicConfig', () => ({
      ...flags,
      refresh_interval_sec: REFRESH_S,
    })),
    direct(service, 'create_session', 'createSession', async ({ tags, user_metadata }, exchange, { bytes }) => {
      if (JSON.stringify(tags).length > MOST_TAGS)
        throw new RequestError(`tags have more than ${MOST_TAGS} characters of JSON`);
      const session = { id: randomUUID(), tags, userMetadata: user_metadata ?? null, key: keyOf(exchange) };
      const used = new Set(service.models.all.map(({ record }) => record.sessionId));
      const { id } = await service.sessions.create({ ...session, hash: await hashOf('create_session', bytes) }, used);
      return { type: 'create_session', session_id: id };
    }),
    direct(service, 'session_heartbeat', 'heartbeat', ({ session_id }) => {
      service.sessions.find(session_id);
      return { type: 'session_heartbeat' };
    }),
    // Telemetry describes the client and is meant for its developers, so that this server discards it.
    direct(service, 'telemetry', 'telemetry', () => ({ status: 'accepted' })),
    plain('GET', 'healthz', () => ({ status: 'ok' })),
    plain('GET', 'get_server_capabilities', () => ({ supported_models: [model] })),
  ];
}
