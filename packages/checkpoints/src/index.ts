export { type HostTensor, type HostTensors } from './io/host-tensor.js';
export { type Dtype } from './io/dtype.js';
export { float16ToFloat32 } from './io/half-precision.js';
export { SafetensorsError } from './io/safetensors-error.js';
export { WeightsFileError } from './io/weights-file-error.js';
export { requireFloats, type WeightSource } from './io/checkpoint-reader.js';
export {
  readSafetensors,
  readSafetensorsFile,
  readWeights,
  writeSafetensors,
  writeWeights,
  writeWeightStream,
  type ReadOptions,
  type StoredTensors,
} from './safetensors/safetensors.js';
export { openWeights, SafetensorsFile } from './safetensors/safetensors-file.js';
export { readPyTorchStateDict, type StateDictOptions } from './pytorch/state-dict.js';
export { readLlama2c, type Llama2cCheckpoint } from './llama2c/llama2c-checkpoint.js';
export { openWeightsFile, type WeightsFile } from './weights-file.js';
export { unwrapped } from './name-prefixes.js';
export {
  parseConfig,
  PretrainedDirectoryError,
  readDecoderConfig,
  readGenerationConfig,
  readPretrainedConfig,
  type PretrainedConfig,
} from './hugging-face/pretrained-config.js';
export { ConfigFields, fromConfigFile, UnsupportedConfigError, type ConfigJson } from './hugging-face/config-fields.js';
export { modelDirectory, type HubOptions } from './hub/hub-model.js';
