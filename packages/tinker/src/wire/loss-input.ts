// Reads sequences with numbers for each position, the input of forward_backward, from JSON or protobuf in steps, between which
// the server handles other requests. losses.ts then checks the names and lengths of the loss's inputs.
import type { Steps } from '@bowyer/text';
import type { Datum, LossRequest } from '../training/trainable.js';
import { RequestError } from '../request-error.js';
import { checkedBody, shown, type LossInputJson, type ModelInputJson } from './bodies.js';
import { datumOf as datumOfBytes, type ChunkMessage, type ForwardBackwardBytes } from './messages.js';
import { integersOf } from './numbers.js';
import { integers, tensorOfJson, tensorOfMessage, type Tensor } from './tensors.js';

export interface LossInput {
  data: Datum[];
  loss: LossRequest;
}

/** Throws RequestError. */
export function* lossInputOfJson(input: LossInputJson): Steps<LossInput> {
  const { data, loss_fn, loss_fn_config, loss_fn_config_v2 } = input;
  const loss = lossOf(loss_fn, loss_fn_config_v2 ?? loss_fn_config ?? {});
  const datums: Datum[] = [];
  for (const [i, given] of data.entries()) {
    const { model_input, loss_fn_inputs } = checkedBody('datum', given, `data[${i}]`);
    const tokens = yield* tokensOfJson(`data[${i}].model_input`, model_input);
    const tensors: [string, Tensor][] = [];
    for (const [name, tensor] of Object.entries(loss_fn_inputs))
      tensors.push([name, yield* tensorOfJson(`data[${i}].loss_fn_inputs.${name}`, tensor)]);
    datums.push(datumOf(i, tokens, tensors));
    yield;
  }
  return { data: datums, loss };
}

/** @throws {RequestError} @throws {protobuf.MessageError} */
export function* lossInputOfMessage({
  data = [],
  lossFn = '',
  lossFnConfig = {},
}: ForwardBackwardBytes): Steps<LossInput> {
  const loss = lossOf(lossFn, lossFnConfig);
  const datums: Datum[] = [];
  for (const [i, bytes] of data.entries()) {
    const { modelInput = [], lossFnInputs = {} } = datumOfBytes(bytes);
    const tensors: [string, Tensor][] = [];
    for (const [name, tensor] of Object.entries(lossFnInputs)) {
      tensors.push([name, tensorOfMessage(`data[${i}].loss_fn_inputs.${name}`, tensor)]);
      yield;
    }
    datums.push(datumOf(i, tokensOfMessage(`data[${i}].model_input`, modelInput), tensors));
    yield;
  }
  return { data: datums, loss };
}

/** @param name of the field, for errors @throws {RequestError} for an input that is not text, such as an image */
export function* tokensOfJson(name: string, { chunks }: ModelInputJson): Steps<Int32Array> {
  const parts: Int32Array[] = [];
  for (const [i, chunk] of chunks.entries()) {
    if (!('tokens' in chunk)) throw noText(`${name}.chunks[${i}]`, chunk.type);
    parts.push(yield* integersOf(`${name}.chunks[${i}].tokens`, chunk.tokens));
  }
  return joined(parts);
}

function tokensOfMessage(name: string, chunks: readonly ChunkMessage[]): Int32Array {
  return joined(
    chunks.map(({ encodedText, image, dmel }, i) => {
      if (image || dmel || !encodedText)
        throw noText(`${name}.chunks[${i}]`, image ? 'image' : dmel ? 'dmel' : 'of no known type');
      return integers(`${name}.chunks[${i}]`, encodedText.tokens ?? new Uint8Array());
    }),
  );
}

function joined(parts: readonly Int32Array[]): Int32Array {
  if (parts.length === 1) return parts[0];
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
  for (const [key, value] of Object.entries(given))
    if (typeof value !== 'number')
      throw new RequestError(`loss_fn_config.${key.slice(0, 80)} is ${shown(value)}; it must be a number`);
  return { name, config: given as Record<string, number> };
}

function datumOf(i: number, tokens: Int32Array, tensors: readonly (readonly [string, Tensor])[]): Datum {
  const { target_tokens: target, ...others } = Object.fromEntries(tensors);
  const name = `data[${i}].loss_fn_inputs`;
  if (target?.dtype !== 'int64')
    throw new RequestError(`${name}.target_tokens ${target ? 'is float32' : 'is missing'}; it must be given as int64`);
  const [rows, width = 1] = target.shape;
  if (target.shape.length > 2 || rows !== tokens.length)
    throw new RequestError(
      `${name}.target_tokens has the shape ${shapeText(target)}; an input of ${tokens.length} tokens needs [${tokens.length}] or [${tokens.length}, K]`,
    );
  const inputs = Object.entries(others).map(([input, tensor]) => {
    if (tensor.data.length !== target.data.length || tensor.shape[0] !== rows)
      throw new RequestError(
        `${name}.${input} has the shape ${shapeText(tensor)}, and target_tokens has ${shapeText(target)}`,
      );
    return [input, tensor.data instanceof Float32Array ? tensor.data : new Float32Array(tensor.data)] as const;
  });
  return { tokens, targets: target.data as Int32Array, width, inputs: Object.fromEntries(inputs) };
}

const shapeText = ({ shape }: Tensor): string => `[${shape.join(', ')}]`;
