// Writes a Hugging Face model or a PEFT adapter as one GGUF file for llama.cpp and programs based on it. Everything that may be
// refused is checked before writing begins; then the tensors are read, converted and written one by one.
import { writeChunksAtomically } from '@bowyer/checkpoints';
import type { HuggingFaceTokenizer } from '@bowyer/text';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import { allFamilies } from '../../decoder/all-families.js';
import { FamilyConfig } from '../../decoder/family.js';
import { mergedReader, withOpenedModel, type OpenedAdapter, type ReadParameter } from '../opened-model.js';
import { adapterPart } from './adapter-tensors.js';
import { ggufFamilies } from './families.js';
import { GgufError } from './gguf-error.js';
import { ggufBytes, text, type Entries, type GgufTensor } from './gguf-file.js';
import { modelEntries } from './model-entries.js';
import { ggufTensors, totalBytes } from './tensors.js';
import { fileTypes, tensorTypes, type TensorTypeName } from './tensor-types.js';
import { vocabularyPart } from './vocabulary.js';
import type { GgufFamily } from './family.js';

export interface GgufOptions {
  /** The folder of a model, or of an adapter. */
  dir: string;
  /** The file to write. */
  output: string;
  /** The type of matrices; norms and biases are always float32. */
  dtype: TensorTypeName;
  /** Written as `general.name`. */
  name: string;
  /** Whether an adapter is merged into its base; otherwise it is written as a separate adapter. */
  merge: boolean;
  /** Written as `general.license`, if given. */
  license?: string;
  progress?: (done: number, total: number) => void;
}

export interface ExportedGguf {
  kind: 'model' | 'adapter';
  /** llama.cpp's name of the architecture. */
  arch: string;
  tensors: number;
  /** The size of all tensors together. */
  bytes: number;
  /** Differences between llama.cpp's computation and this model's, for the user. */
  notes: string[];
}

/**
 * Exports a model or an adapter; `output` appears complete or not at all.
 *
 * @throws GgufError if something has no counterpart in llama.cpp
 */
export function exportGguf(options: GgufOptions): Promise<ExportedGguf> {
  const { dir, output, merge, progress } = options;
  return withOpenedModel(dir, async (opened) => {
    const { architecture, tokenizer, adapter } = opened;
    const fail = (problem: string) => new GgufError(dir, problem);
    const model = { ...options, architecture, tokenizer, family: familyOf(architecture, fail), fail };
    const part =
      adapter && !merge
        ? { ...adapterFile(model, adapter), kind: 'adapter' as const }
        : { ...modelFile(model, mergedReader(opened)), kind: 'model' as const };
    await writeChunksAtomically(output, ggufBytes(part.entries, reported(part.tensors, progress)));
    const { kind, notes, tensors } = part;
    return { kind, arch: model.family.arch, tensors: tensors.length, bytes: totalBytes(tensors), notes };
  });
}

interface GgufModel extends GgufOptions {
  architecture: CausalArchitecture;
  tokenizer: HuggingFaceTokenizer;
  family: GgufFamily;
  fail: (problem: string) => Error;
}

interface FilePart {
  entries: Entries;
  tensors: GgufTensor[];
  notes: string[];
}

function familyOf({ config }: CausalArchitecture, fail: (problem: string) => Error): GgufFamily {
  const type = String(config.model_type);
  const family = ggufFamilies[type];
  if (!family) throw fail(`it is a ${type}; the families that are written: ${Object.keys(ggufFamilies).join(', ')}`);
  return family;
}

function modelFile(model: GgufModel, read: ReadParameter): FilePart {
  const { architecture, family, fail, dtype } = model;
  const type = String(architecture.config.model_type);
  const config = new FamilyConfig(type, allFamilies[type], architecture.config);
  const facts = modelEntries(config, architecture, family, fail);
  const vocabulary = vocabularyPart(model.tokenizer, {
    rows: architecture.vocabSize,
    ends: endsOf(architecture),
    fail: (problem) => new GgufError(model.dir, problem, OTHER_TOKENIZERS),
  });
  const { tensors, notes } = ggufTensors({ family, architecture, read, dtype, vectors: facts.vectors, fail });
  return {
    entries: { ...generalEntries(model), ...facts.entries, ...vocabulary.entries },
    tensors,
    notes: [...facts.notes, ...vocabulary.notes, ...notes],
  };
}

const OTHER_TOKENIZERS =
  'write task.format=onnx, where transformers.js reads the tokenizer as it is, or task.format=hf; docs/models/export.md lists the tokenizers of GGUF';

function adapterFile(model: GgufModel, adapter: OpenedAdapter): FilePart {
  const { entries, tensors } = adapterPart({ ...model, ...adapter, type: tensorTypes[model.dtype] });
  return { entries: { ...generalEntries(model), ...entries }, tensors, notes: [] };
}

/** Lists the ids in `eos_token_id` of the config. */
function endsOf({ config }: CausalArchitecture): number[] {
  const given = config.eos_token_id;
  return (Array.isArray(given) ? given : [given]).filter((id): id is number => typeof id === 'number');
}

function generalEntries({ family, name, license, dtype, tokenizer }: GgufModel): Entries {
  const isQuantized = tensorTypes[dtype].block > 1;
  return {
    'general.architecture': text(family.arch),
    'general.type': text('model'),
    ...(isSafeName(name, tokenizer) && { 'general.name': text(name) }),
    ...(license !== undefined && { 'general.license': text(license) }),
    'general.file_type': { type: 'uint32', value: fileTypes[dtype] },
    ...(isQuantized && { 'general.quantization_version': { type: 'uint32', value: 2 } as const }),
  };
}

/** Returns whether llama.cpp can load a model of this name: for names with "phi-3" it requires tokens that not every tokenizer has. */
const isSafeName = (name: string, tokenizer: HuggingFaceTokenizer): boolean =>
  !/phi-?3/i.test(name) ||
  ['</s>', '<unk>', '<s>', '<|endoftext|>'].every((token) => tokenizer.tokenToId(token) !== undefined);

function reported(tensors: readonly GgufTensor[], progress: GgufOptions['progress']): GgufTensor[] {
  if (!progress) return [...tensors];
  return tensors.map((tensor, i) => ({
    ...tensor,
    pieces: async function* () {
      yield* tensor.pieces();
      progress(i + 1, tensors.length);
    },
  }));
}
