export { type HostTensor, type HostTensors } from './io/host-tensor.js';
export { type Dtype } from './io/dtype.js';
export { float16ToFloat32 } from './io/half-precision.js';
export { dequantizeMxfp4, MXFP4_BLOCK } from './io/mxfp4.js';
export { writeChunksAtomically } from './io/write-chunks-atomically.js';
export { CheckpointError } from './io/checkpoint-error.js';
export { WeightsFileError } from './io/weights-file-error.js';
export { requireFloats, type CheckpointReader } from './io/checkpoint-reader.js';
export {
  readSafetensors,
  readSafetensorsFile,
  readWeights,
  writeSafetensors,
  writeWeights,
  writeWeightStream,
  type ReadOptions,
  type WritableTensors,
} from './safetensors/safetensors.js';
export { openSafetensors, SafetensorsFile } from './safetensors/safetensors-file.js';
export { readPyTorchStateDict, type StateDictOptions } from './pytorch/state-dict.js';
export { GgufFile, ggufValueCodes, type GgufTensorInfo, type GgufValue } from './gguf/gguf-file.js';
export { decodeGgufBlocks, ggufBytesOf, ggufTypes, type GgufType, type GgufTypeName } from './gguf/gguf-types.js';
export { readLlama2c, type Llama2cCheckpoint } from './llama2c/llama2c-checkpoint.js';
export { openCheckpoint, type OpenedCheckpoint } from './open-checkpoint.js';
export { withoutNamePrefix } from './name-prefixes.js';
export {
  parseConfig,
  PretrainedDirectoryError,
  readDecoderConfig,
  readGenerationConfig,
  readGenerationFields,
  readPretrainedConfig,
  type PretrainedConfig,
} from './hugging-face/pretrained-config.js';
export { ConfigFields, fromConfigFile, UnsupportedConfigError, type ConfigJson } from './hugging-face/config-fields.js';
export { CheckpointStore } from './store/checkpoint-store.js';
export { modelDirectory, type HubOptions } from './hub/hub-model.js';
