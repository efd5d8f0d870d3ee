// Declares the schemas of the Tinker API's JSON bodies. A field that is not listed would have no effect, and is refused.
import { Kind, Type, TypeRegistry, type Static, type TSchema } from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';
import { RequestError } from '../request-error.js';

const text = Type.String({ maxLength: 4096 });
const id = Type.String({ minLength: 1, maxLength: 512 });
const index = Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 });
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const object = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields, { additionalProperties: false });
/** Declares the field `type`, in which some clients repeat the kind of the request. */
const ofType = (name: string) => ({ type: Type.Optional(Type.Literal(name)) });

/** A list whose elements are checked in steps, when they are read. Type.Array(Type.Unknown()) would block the server. */
const LIST = 'List';
TypeRegistry.Set(LIST, (_, value) => Array.isArray(value));
const list = Type.Unsafe<unknown[]>({ [Kind]: LIST });
/** The most elements of lists and maps that have few elements in practice, so that checking them is fast. */
const FEW = 1024;
const few = <T extends TSchema>(schema: T) => Type.Array(schema, { maxItems: FEW });
const byName = <T extends TSchema>(schema: T) => Type.Record(Type.String(), schema, { maxProperties: FEW });

/** The kind of schema for the metadata of a client, which are stored as long as the object that they describe. */
const METADATA = 'Metadata';
const MOST_METADATA = 16_384;
const isNote = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.stringify(value).length <= MOST_METADATA;
TypeRegistry.Set(METADATA, (_, value) => value === null || isNote(value));
const metadata = Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ [Kind]: METADATA }));

const chunk = Type.Union([
  object({ type: Type.Optional(Type.Literal('encoded_text')), tokens: list }),
  Type.Object({ type: Type.Union([Type.Literal('image'), Type.Literal('image_asset_pointer'), Type.Literal('dmel')]) }),
]);
const modelInput = object({ chunks: few(chunk) });
const tensor = object({
  data: list,
  dtype: Type.Union([Type.Literal('float32'), Type.Literal('int64')]),
  shape: maybe(few(index)),
  sparse_crow_indices: maybe(list),
  sparse_col_indices: maybe(list),
});
const datum = object({
  model_input: modelInput,
  loss_fn_inputs: byName(tensor),
  model_input_spans: Type.Optional(Type.Null()),
  loss_fn_input_spans: Type.Optional(Type.Null()),
});
const lossConfig = maybe(byName(Type.Union([Type.Number(), Type.String()])));
const lossInput = object({
  /** The elements of `data` are checked by the schema `datum` when they are read. */
  data: list,
  loss_fn: text,
  loss_fn_config: lossConfig,
  loss_fn_config_v2: lossConfig,
});
const ofModel = { model_id: id, seq_id: maybe(index) };
const number = Type.Number();
/** A duration in seconds, at most 136 years, so that the time of its end can be written as a date. */
const seconds = Type.Integer({ minimum: 1, maximum: 2 ** 32 });

const schemas = {
  datum,
  clientConfig: object({ sdk_version: maybe(text) }),
  clientDynamicConfig: Type.Object({}),
  createSession: object({
    tags: few(text),
    user_metadata: metadata,
    sdk_version: text,
    project_id: maybe(text),
    ...ofType('create_session'),
  }),
  heartbeat: object({ session_id: id, ...ofType('session_heartbeat') }),
  telemetry: Type.Object({ session_id: id, events: list }),
  retrieveFuture: object({ request_id: id, allow_metadata_only: maybe(Type.Boolean()) }),
  createModel: object({
    session_id: id,
    model_seq_id: index,
    base_model: text,
    user_metadata: metadata,
    lora_config: maybe(
      object({
        rank: Type.Integer({ minimum: 1 }),
        seed: maybe(Type.Integer()),
        train_unembed: maybe(Type.Boolean()),
        train_mlp: maybe(Type.Boolean()),
        train_attn: maybe(Type.Boolean()),
      }),
    ),
    ...ofType('create_model'),
  }),
  getInfo: object({ model_id: id, ...ofType('get_info') }),
  unloadModel: object({ model_id: id, ...ofType('unload_model') }),
  forwardBackward: object({ ...ofModel, forward_backward_input: lossInput, forward_only: maybe(Type.Boolean()) }),
  forward: object({ ...ofModel, forward_input: lossInput }),
  optimStep: object({
    ...ofModel,
    adam_params: object({
      learning_rate: maybe(number),
      beta1: maybe(number),
      beta2: maybe(number),
      eps: maybe(number),
      weight_decay: maybe(number),
      grad_clip_norm: maybe(number),
    }),
    ...ofType('optim_step'),
  }),
  saveWeights: object({
    ...ofModel,
    path: maybe(text),
    ttl_seconds: maybe(seconds),
    overwrite: maybe(Type.Boolean()),
    user_metadata: metadata,
    ...ofType('save_weights'),
  }),
  saveWeightsForSampler: object({
    ...ofModel,
    path: maybe(text),
    sampling_session_seq_id: maybe(index),
    ttl_seconds: maybe(seconds),
    overwrite: maybe(Type.Boolean()),
    user_metadata: metadata,
    ...ofType('save_weights_for_sampler'),
  }),
  loadWeights: object({
    model_id: maybe(id),
    seq_id: maybe(index),
    session_id: maybe(id),
    model_seq_id: maybe(index),
    base_model: maybe(text),
    user_metadata: metadata,
    path: text,
    optimizer: maybe(Type.Boolean()),
    weights_access_token: maybe(text),
    ...ofType('load_weights'),
  }),
  createSamplingSession: object({
    session_id: id,
    sampling_session_seq_id: index,
    base_model: maybe(text),
    model_path: maybe(text),
    ...ofType('create_sampling_session'),
  }),
  asample: object({
    sampling_session_id: maybe(id),
    seq_id: maybe(index),
    base_model: maybe(text),
    model_path: maybe(text),
    num_samples: Type.Optional(Type.Integer({ minimum: 1 })),
    prompt: modelInput,
    sampling_params: Type.Optional(
      object({
        max_tokens: maybe(Type.Integer({ minimum: 1 })),
        seed: maybe(Type.Integer()),
        stop: maybe(Type.Union([text, few(text), few(Type.Integer({ minimum: 0 }))])),
        temperature: maybe(Type.Number({ minimum: 0, maximum: 100 })),
        top_k: maybe(Type.Integer({ minimum: -1 })),
        top_p: maybe(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
      }),
    ),
    prompt_logprobs: maybe(Type.Boolean()),
    topk_prompt_logprobs: maybe(index),
    ...ofType('sample'),
  }),
  weightsInfo: object({ tinker_path: text }),
  ttl: object({ ttl_seconds: maybe(seconds) }),
};

type Schemas = typeof schemas;
export type BodyName = keyof Schemas;
export type Body<Name extends BodyName> = Static<Schemas[Name]>;
export type LossInputJson = Body<'forwardBackward'>['forward_backward_input'];
export type ModelInputJson = Body<'asample'>['prompt'];

const checks = new Map<BodyName, TypeCheck<TSchema>>();

/**
 * @param place the path of the value within the request's body; '' for the whole body
 * @throws {RequestError} that names the wrong field and its expected value
 */
export function checkedBody<Name extends BodyName>(name: Name, body: unknown, place = ''): Body<Name> {
  const check = checks.get(name) ?? TypeCompiler.Compile<TSchema>(schemas[name]);
  checks.set(name, check);
  if (check.Check(body)) return body as Body<Name>;
  const { path, message, value, schema } = deepest(check, body);
  const field = [place, ...path.split('/').slice(1)].filter(Boolean).join('.') || 'the body';
  const expected = expectations[schema[Kind]] ?? message.toLowerCase();
  throw new RequestError(`${field}: ${expected}, not ${shown(value)}`);
}

const expectations: Readonly<Record<string, string | undefined>> = {
  [LIST]: 'expected array',
  [METADATA]: `expected an object of at most ${MOST_METADATA} characters of JSON`,
};

function deepest(check: TypeCheck<TSchema>, body: unknown) {
  let [found, seen] = [check.Errors(body).First()!, 0];
  for (const error of check.Errors(body)) {
    if (error.message !== 'Expected union value') {
      found = error;
      break;
    }
    if (++seen > 100) break;
  }
  return found;
}

/** Returns a value as text for an error message; for an array or object, which may be long, only its kind. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const written = JSON.stringify(typeof value === 'string' ? value.slice(0, 81) : value) ?? 'undefined';
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}
