// The input of forward_backward, in JSON or protobuf: the sequences with what their loss needs of each position.
import { lossUnits } from '../training/losses.js';
import type { Datum, LossName, LossRequest } from '../training/trainable.js';
import { RequestError } from '../request-error.js';
import type { LossInputJson, ModelInputJson } from './bodies.js';
import type { ChunkMessage, ForwardBackwardRequestMessage } from './messages.js';
import { integers, tensorOfJson, tensorOfMessage, type Tensor } from './tensors.js';

export interface LossInput {
  data: Datum[];
  loss: LossRequest;
}

/** @throws {RequestError} */
export function lossInputOfJson({ data, loss_fn, loss_fn_config, loss_fn_config_v2 }: LossInputJson): LossInput {
  const loss = lossOf(loss_fn, loss_fn_config_v2 ?? loss_fn_config ?? {});
  const datums = data.map(({ model_input, loss_fn_inputs }, i) => {
    const tensors = Object.entries(loss_fn_inputs).map(
      ([name, tensor]) => [name, tensorOfJson(`data[${i}].loss_fn_inputs.${name}`, tensor)] as const,
    );
    return datumOf(i, Int32Array.from(tokensOfJson(`data[${i}].model_input`, model_input)), tensors, loss.name);
  });
  return { data: datums, loss };
}

/** @throws {RequestError} */
export function lossInputOfMessage(message: ForwardBackwardRequestMessage): LossInput {
  const { data = [], lossFn = '', lossFnConfig = {} } = message;
  const loss = lossOf(lossFn, lossFnConfig);
  const datums = data.map(({ modelInput = [], lossFnInputs = {} }, i) => {
    const tensors = Object.entries(lossFnInputs).map(
      ([name, tensor]) => [name, tensorOfMessage(`data[${i}].loss_fn_inputs.${name}`, tensor)] as const,
    );
    return datumOf(i, tokensOfMessage(`data[${i}].model_input`, modelInput), tensors, loss.name);
  });
  return { data: datums, loss };
}

/** @param name for messages @throws {RequestError} for anything but a text */
export function tokensOfJson(name: string, { chunks }: ModelInputJson): number[] {
  return chunks.flatMap((chunk, i) => {
    if ('tokens' in chunk) return chunk.tokens;
    throw noText(`${name}.chunks[${i}]`, chunk.type);
  });
}

function tokensOfMessage(name: string, chunks: readonly ChunkMessage[]): Int32Array {
  const parts = chunks.map(({ encodedText, image, dmel }, i) => {
    if (image || dmel || !encodedText)
      throw noText(`${name}.chunks[${i}]`, image ? 'image' : dmel ? 'dmel' : 'of no known type');
    return integers(`${name}.chunks[${i}]`, encodedText.tokens ?? new Uint8Array());
  });
  const tokens = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    tokens.set(part, at);
    at += part.length;
  }
  return tokens;
}

const noText = (name: string, type: string) =>
  new RequestError(`${name} is ${type}; this server trains and samples models of text: send encoded_text`);

function lossOf(name: string, given: Readonly<Record<string, number | string>>): LossRequest {
  if (!Object.hasOwn(lossUnits, name))
    throw new RequestError(`loss_fn '${name}' is not served; ${Object.keys(lossUnits).join(', ')} are`);
  const known = Object.keys(lossUnits[name as LossName].config);
  for (const [key, value] of Object.entries(given))
    if (!known.includes(key) || typeof value !== 'number' || !Number.isFinite(value))
      throw new RequestError(
        `loss_fn_config.${key} is ${JSON.stringify(value)}; ${name} reads ${known.length > 0 ? `numbers named ${known.join(', ')}` : 'no config'}`,
      );
  return { name: name as LossName, config: given as Record<string, number> };
}

function datumOf(
  i: number,
  tokens: Int32Array,
  tensors: readonly (readonly [string, Tensor])[],
  loss: LossName,
): Datum {
  const given = new Map(tensors);
  const target = given.get('target_tokens');
  const names = [...lossUnits[loss].needs, ...(given.has('weights') ? ['weights'] : [])];
  const unknown = [...given.keys()].find((name) => name !== 'target_tokens' && !names.includes(name));
  if (unknown !== undefined)
    throw new RequestError(
      `data[${i}].loss_fn_inputs.${unknown} is not read by ${loss}, which reads ${['target_tokens', ...lossUnits[loss].needs, 'weights'].join(', ')}`,
    );
  if (tokens.length === 0) throw new RequestError(`data[${i}].model_input has no tokens`);
  if (target?.dtype !== 'int64')
    throw new RequestError(
      `data[${i}].loss_fn_inputs.target_tokens ${target ? 'is float32' : 'is missing'}; ${loss} needs it as int64`,
    );
  checkShape(`data[${i}].loss_fn_inputs.target_tokens`, target, tokens.length, loss);
  const width = target.shape[1] ?? 1;
  const targets = target.data as Int32Array;
  const inputs = Object.fromEntries(
    names.map((name) => [name, inputOf(`data[${i}].loss_fn_inputs.${name}`, given.get(name), target, loss)]),
  );
  return { tokens, targets, width, inputs };
}

function checkShape(name: string, { shape }: Tensor, length: number, loss: LossName): void {
  const isRow = shape.length === 1 || (shape.length === 2 && loss === 'cross_entropy' && shape[1] > 0);
  if (!isRow || shape[0] !== length)
    throw new RequestError(
      `${name} has the shape [${shape.join(', ')}]; ${loss} needs [${length}]${loss === 'cross_entropy' ? ` or [${length}, K]` : ''}, as the input has ${length} tokens`,
    );
}

function inputOf(name: string, tensor: Tensor | undefined, target: Tensor, loss: LossName): Float32Array {
  if (tensor === undefined) throw new RequestError(`${name} is missing; ${loss} needs it`);
  if (tensor.data.length !== target.data.length || tensor.shape[0] !== target.shape[0])
    throw new RequestError(
      `${name} has the shape [${tensor.shape.join(', ')}], and target_tokens has [${target.shape.join(', ')}]`,
    );
  const bad = tensor.data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw new RequestError(`${name} contains ${tensor.data[bad]} at ${bad}`);
  return Float32Array.from(tensor.data);
}
