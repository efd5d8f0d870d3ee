export {
  HuggingFaceTokenizer,
  loadTokenizer,
  TokenizerFileError,
  type DecodeOptions,
  type Tokenizer,
} from './tokenizer.js';
export { wordLevelTokenizer, type WordLevelOptions } from './word-level-tokenizer.js';
export {
  readSafetensors,
  readSafetensorsFile,
  readWeights,
  writeSafetensors,
  writeWeights,
  type HostTensor,
  type HostTensors,
  type ReadOptions,
} from './safetensors.js';
export { SafetensorsError } from './safetensors-header.js';
export { PretrainedDirectoryError, readPretrainedConfig, type PretrainedConfig } from './pretrained-config.js';
