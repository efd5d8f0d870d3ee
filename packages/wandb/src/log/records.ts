// Defines the records of W&B's transaction log as protobuf messages, with those fields that a run writes or the sender to W&B's
// server reads. Source of the field numbers and names: wandb_internal.proto of W&B's client, release line 0.28.
import { protobuf } from '@bowyer/core';

const { bool, decode, encode, int32, int64, many, messageType, one, string } = protobuf;

const timestamp = messageType('Timestamp', { seconds: one(1, int64), nanos: one(2, int32) });

/** A value of a config, a summary or a history row, written by `jsonText`; `nested_key` is the key of a value in a tree. */
const item = messageType('Item', { key: one(1, string), nested_key: many(2, string), value_json: one(16, string) });
export type Item = protobuf.MessageOf<typeof item>;

const changes = messageType('Changes', { update: many(1, item), remove: many(2, item) });
const keyValue = messageType('KeyValue', { key: one(1, string), value_json: one(2, string) });
const telemetry = messageType('Telemetry', { cli_version: one(5, string) });

const run = messageType('Run', {
  run_id: one(1, string),
  entity: one(2, string),
  project: one(3, string),
  config: one(4, changes),
  run_group: one(6, string),
  job_type: one(7, string),
  display_name: one(8, string),
  notes: one(9, string),
  tags: many(10, string),
  sweep_id: one(12, string),
  host: one(13, string),
  start_time: one(17, timestamp),
  telemetry: one(19, telemetry),
  git: one(21, messageType('Git', { remote_url: one(1, string), commit: one(2, string) })),
});
export type RunRecord = protobuf.MessageOf<typeof run>;

const metric = messageType('Metric', {
  name: one(1, string),
  glob_name: one(2, string),
  step_metric: one(4, string),
  options: one(6, messageType('Options', { step_sync: one(1, bool), hidden: one(2, bool), defined: one(3, bool) })),
  summary: one(
    7,
    messageType('Summary', {
      min: one(1, bool),
      max: one(2, bool),
      mean: one(3, bool),
      best: one(4, bool),
      last: one(5, bool),
      none: one(6, bool),
      copy: one(7, bool),
      first: one(8, bool),
    }),
  ),
  goal: one(8, int32),
  expanded_from_glob: one(10, bool),
});
export type MetricRecord = protobuf.MessageOf<typeof metric>;

const artifact = messageType('Artifact', {
  run_id: one(1, string),
  project: one(2, string),
  entity: one(3, string),
  type: one(4, string),
  name: one(5, string),
  digest: one(6, string),
  description: one(7, string),
  metadata: one(8, string),
  user_created: one(9, bool),
  use_after_commit: one(10, bool),
  aliases: many(11, string),
  manifest: one(
    12,
    messageType('Manifest', {
      version: one(1, int32),
      storage_policy: one(2, string),
      storage_policy_config: many(3, keyValue),
      contents: many(
        4,
        messageType('Contents', {
          path: one(1, string),
          digest: one(2, string),
          ref: one(3, string),
          size: one(4, int64),
          local_path: one(6, string),
        }),
      ),
    }),
  ),
  finalize: one(14, bool),
  client_id: one(15, string),
  sequence_client_id: one(16, string),
});
export type ArtifactRecord = protobuf.MessageOf<typeof artifact>;

const environment = messageType('Environment', {
  os: one(1, string),
  started_at: one(3, timestamp),
  args: many(5, string),
  program: one(6, string),
  root: one(11, string),
  host: one(12, string),
  cpu_count: one(16, int32),
  cpu_count_logical: one(17, int32),
});

const empty = messageType('Empty', {});

const record = messageType('Record', {
  num: one(1, int64),
  history: one(
    2,
    messageType('History', { item: many(1, item), step: one(2, messageType('Step', { num: one(1, int64) })) }),
  ),
  summary: one(3, changes),
  config: one(5, changes),
  files: one(
    6,
    messageType('Files', {
      files: many(1, messageType('Files', { path: one(1, string), policy: one(2, int32), type: one(3, int32) })),
    }),
  ),
  stats: one(
    7,
    messageType('Stats', {
      timestamp: one(2, timestamp),
      item: many(3, messageType('Item', { key: one(1, string), value_json: one(16, string) })),
    }),
  ),
  artifact: one(8, artifact),
  telemetry: one(11, telemetry),
  metric: one(12, metric),
  output_raw: one(
    13,
    messageType('OutputRaw', { output_type: one(1, int32), timestamp: one(2, timestamp), line: one(3, string) }),
  ),
  run: one(17, run),
  exit: one(18, messageType('Exit', { exit_code: one(1, int32), runtime: one(2, int32) })),
  final: one(20, empty),
  header: one(
    21,
    messageType('Header', {
      version_info: one(1, messageType('VersionInfo', { producer: one(1, string), min_consumer: one(2, string) })),
    }),
  ),
  footer: one(22, empty),
  preempting: one(23, empty),
  environment: one(26, environment),
});

/** A record of the log. Besides its number `num`, exactly one member is present, which determines the type of the record. */
export type LogRecord = protobuf.MessageOf<typeof record>;
type Timestamp = protobuf.MessageOf<typeof timestamp>;
export type Changes = protobuf.MessageOf<typeof changes>;

export const encodeRecord = (message: LogRecord): Uint8Array<ArrayBuffer> => encode(record, message);
export const decodeRecord = (bytes: Uint8Array): LogRecord => decode(record, bytes, { unknown: 'kept' });

export function timestampOf(milliseconds: number): Timestamp {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: Math.round((milliseconds - 1000 * seconds) * 1e6) };
}

/** Converts a protobuf timestamp to seconds since 1970. */
export const secondsOf = ({ seconds = 0, nanos = 0 }: Timestamp): number => seconds + nanos / 1e9;
