// Converts parameters between the names and layout in memory and those of Hugging Face checkpoints: checkpoints may prefix names,
// join several parameters in one tensor, and store the weights of GPT-2's Conv1D transposed.
import { withJointTensors, withSeparateParameters } from './joint-tensors.js';
import type { ParameterSpec } from './parameter-spec.js';
import { transpose } from './transpose.js';
import {
  type HostTensor,
  type HostTensors,
  requireFloats,
  CheckpointError,
  type CheckpointReader,
} from '@bowyer/checkpoints';

/** The prefix of parameter names; models without an LM head (and GPT-2's original release) are saved without it. */
const PREFIX = /^(transformer|model|gpt_neox)\./;

/** Returns the name without its prefix, as a checkpoint of a model without an LM head has it. */
export const bareName = (name: string) => name.replace(PREFIX, '');

/** Tensors that are ignored when a checkpoint is read: attention masks, rotary tables, a copy of the embedding as LM head. */
const BUFFERS =
  /(^|\.)(attn|attention)\.(bias|masked_bias)$|rotary_emb\.inv_freq$|^(language_model\.)?(lm_head|embed_out)\.weight$/;

/** Prefixes of tensors outside the text model: encoders of images and sound, and layers that predict several tokens at once. */
const OTHER_PARTS =
  /^(model\.)?(vision_tower|multi_modal_projector|vision_encoder|audio_tower|embed_vision|embed_audio|vision_embedder|visual)\.|^mtp\./;

/** Lists a parameter's possible names in checkpoints: with or without a prefix, or as part of a composite model's text model. */
export const namesOf = (name: string): string[] => {
  const bare = bareName(name);
  return [name, bare, `model.language_model.${bare}`, `language_model.${name}`];
};

/**
 * Reads all parameters, one tensor after the other, so that memory contains little more than the result.
 *
 * @throws CheckpointError if a parameter is missing or has another shape, or if the file has an unknown tensor
 */
export async function readParameters(specs: readonly ParameterSpec[], source: CheckpointReader): Promise<HostTensors> {
  const parameters: HostTensors = {};
  for await (const [name, tensor] of eachParameter(specs, source)) parameters[name] = tensor;
  return parameters;
}

/** Checks all parameters' names and shapes, and returns a function that reads one parameter at a time, in any order. */
export function parameterReader(
  specs: readonly ParameterSpec[],
  checkpoint: CheckpointReader,
): (spec: ParameterSpec) => Promise<HostTensor> {
  const source = withSeparateParameters(specs, checkpoint, namesOf);
  const names = namesInFile(specs, source);
  return ({ name, transposedInFile }) =>
    source.read(names.get(name)!, { transposed: transposedInFile, requireFinite: true });
}

export async function* eachParameter(
  specs: readonly ParameterSpec[],
  source: CheckpointReader,
): AsyncGenerator<[name: string, tensor: HostTensor]> {
  const readOne = parameterReader(specs, source);
  const read = (spec: ParameterSpec) => {
    const tensor = readOne(spec);
    tensor.catch(() => undefined); // the error is thrown again where the tensor is awaited
    return tensor;
  };
  // The next tensor is read while the caller works on the current one.
  let ahead = specs.length > 0 ? read(specs[0]) : undefined;
  for (const [i, spec] of specs.entries()) {
    const tensor = await (ahead ?? read(spec));
    const next = specs[i + 1];
    ahead = next && elementsOf(next) <= AHEAD ? read(next) : undefined;
    yield [spec.name, tensor];
  }
}

/** The most elements of a tensor that is read ahead: two larger ones at the same time would take too much memory. */
const AHEAD = 2 ** 26;

const elementsOf = ({ shape }: ParameterSpec) => shape.reduce((product, size) => product * size, 1);

/** Finds the name of each parameter's tensor in the checkpoint, which may have another prefix than the parameter's name. */
export function namesInFile(specs: readonly ParameterSpec[], { path, entries }: CheckpointReader): Map<string, string> {
  const names = new Map<string, string>();
  for (const spec of specs) {
    const name = [...namesOf(spec.name), ...(spec.alias ? [spec.alias] : [])].find((candidate) =>
      entries.has(candidate),
    );
    const expected = `shape [${fileShape(spec).join(', ')}], as config.json specifies`;
    if (name === undefined) {
      const found = `no such tensor among ${listing([...entries.keys()])}`;
      throw new CheckpointError(path, spec.name, expected, found, belongTogether);
    }
    const entry = entries.get(name)!;
    if (entry.shape.join() !== fileShape(spec).join())
      throw new CheckpointError(entry.file, name, expected, `shape [${entry.shape.join(', ')}]`, belongTogether);
    requireFloats(name, entry);
    names.set(spec.name, name);
  }
  const used = new Set(names.values());
  for (const { ignoredBeside = [] } of specs) for (const name of ignoredBeside.flatMap(namesOf)) used.add(name);
  const extra = [...entries.keys()].find((name) => !used.has(name) && !BUFFERS.test(name) && !OTHER_PARTS.test(name));
  if (extra !== undefined)
    throw new CheckpointError(
      entries.get(extra)!.file,
      extra,
      `only tensors of the model that config.json describes (${specs.length} of them)`,
      `this one as well, of shape [${entries.get(extra)!.shape.join(', ')}]`,
      belongTogether,
    );
  return names;
}

const belongTogether = 'config.json and the weights must belong to the same model: download or save both again';

const listing = (names: string[]) =>
  `the ${names.length} tensors ${names.slice(0, 4).join(', ')}${names.length > 4 ? ', …' : ''}`;

/** Converts parameters to the tensors of a Hugging Face checkpoint, in the layout in which Python's transformers reads them. */
export function toCheckpoint(specs: readonly ParameterSpec[], parameters: HostTensors): HostTensors {
  const tensors = Object.fromEntries(
    specs.map((spec) => [spec.name, spec.transposedInFile ? transposed(parameters[spec.name]) : parameters[spec.name]]),
  );
  return withJointTensors(specs, tensors);
}

const transposed = ({ shape, data }: HostTensor): HostTensor => ({
  shape: [...shape].reverse(),
  data: transpose(data, shape),
});

export const fileShape = ({ shape, transposedInFile }: ParameterSpec) =>
  transposedInFile ? [...shape].reverse() : shape;
