// The input of forward_backward, in JSON or protobuf: sequences with numbers for each position. Their loss checks names and values.
import type { Datum, LossRequest } from '../training/trainable.js';
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
    return datumOf(i, Int32Array.from(tokensOfJson(`data[${i}].model_input`, model_input)), tensors);
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
    return datumOf(i, tokensOfMessage(`data[${i}].model_input`, modelInput), tensors);
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
  for (const [key, value] of Object.entries(given))
    if (typeof value !== 'number')
      throw new RequestError(`loss_fn_config.${key} is ${JSON.stringify(value)}; it must be a number`);
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
    return [input, Float32Array.from(tensor.data)] as const;
  });
  return { tokens, targets: target.data as Int32Array, width, inputs: Object.fromEntries(inputs) };
}

const shapeText = ({ shape }: Tensor): string => `[${shape.join(', ')}]`;
