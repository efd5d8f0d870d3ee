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
export { createOptimizer, type Optimizer, type OptimizerOptions, type StepOptions } from './optimizer.js';
export { Adam, AdamW, type AdamOptions } from './optimizer-adam.js';
export { AdamW8bit } from './optimizer-adamw-8bit.js';
export { Sgd, type SgdOptions } from './optimizer-sgd.js';
export { type StepResult } from './kernels/gradient-clip.js';
export {
  DoubleCritic,
  type CriticBatch,
  type CriticLosses,
  type DoubleCriticOptions,
  type HeadOutputs,
} from './critic/double-critic.js';
export { type CriticEncoder, type CriticFeeds } from './critic/critic-encoder.js';
export { LineEncoder } from './critic/line-encoder.js';
export { LanguageModel, type LanguageModelOptions, type LoadOptions } from './language-model.js';
export { type LoraOptions } from './lora/lora-options.js';
export { AdapterError, isAdapterDirectory } from './lora/peft-files.js';
export { openAdapterDirectory } from './lora/frozen-base.js';
export { tokenBatches, type TokenBatch, type TokenExample } from './token-batches.js';
export { TokenScorer, type TokenScorerOptions } from './token-scorer.js';
export { freshParameters } from './fresh-parameters.js';
export { type BatchOptions } from './token-scorer.js';
export { type Episodes, type Turn, type Utterance } from './episodes.js';
export { type SamplingOptions } from './sampling.js';
export { type CausalArchitecture, type ForwardScope, type ParameterSpec } from './architecture.js';
export { gpt2 } from './gpt2.js';
export { gpt2Config, type Gpt2Config } from './gpt2-config.js';
export { llama } from './llama.js';
export { llamaConfig, type LlamaConfig } from './llama-config.js';
export { gptNeoX } from './gpt-neox.js';
export { gptNeoXConfig, type GptNeoXConfig } from './gpt-neox-config.js';
export { UnsupportedConfigError } from './config-fields.js';
export { architectureFor } from './architectures.js';
export { TransformerEncoder, type TransformerEncoderOptions } from './critic/transformer-encoder.js';
export { encoderConfigFromJson, encoderConfigToJson, maxTokens, type EncoderConfig } from './encoder/encoder-config.js';
export { encoderHiddenStates, textFeature, type EncoderInputs, type TextFeature } from './encoder/encoder-graph.js';
export { encoderShapes, initialEncoder, loadEncoder, saveEncoder } from './encoder/encoder-weights.js';
export { MaskedLanguageModel, type MaskedLanguageModelOptions } from './encoder/masked-language-model.js';
export { tokenMatrix, truncateLeft, type TokenMatrix } from './encoder/encoder-tokens.js';
export { readPyTorchStateDict, type StateDictOptions } from './pytorch/state-dict.js';
export { readLlama2c, type Llama2cCheckpoint } from './llama2c/llama2c-checkpoint.js';
export { readLlama2cTokenizer } from './llama2c/llama2c-tokenizer.js';
export { WeightsFileError } from './pytorch/weights-file-error.js';
export { loadTextModel } from './load-text-model.js';
export { Seq2SeqModel, type Seq2SeqModelOptions, type Source } from './seq2seq/seq2seq-model.js';
export { generateTargets, scoreTargets, type GeneratedTarget } from './seq2seq/seq2seq-items.js';
export { encoderDecoderFor, encoderDecoderTypes } from './seq2seq/seq2seq-architectures.js';
export { scoreContinuations, type ContinuationScores, type ScoreContinuationsOptions } from './score-continuations.js';
export { endOfText, generateTexts, type GeneratedText, type GenerateTextsOptions } from './generate-texts.js';
export { ItemError, type ContinuationItem, type PromptItem } from './prompt-tokens.js';
export {
  dequantize,
  emptyQuantizedWeight,
  quantize,
  quantizedProduct,
  quantizeRows,
  type QuantizedWeight,
  type QuantizeOptions,
} from './quantization/quantized-weight.js';
export { type Quantization } from './quantization/frozen-weights.js';
export { convertCheckpoint, type ConvertOptions, type Converted } from './convert/convert-checkpoint.js';
export { modelDirectory, type HubOptions } from './hub/hub-model.js';
export { chatTemplate, templateTokens } from './chat/chat-template.js';
export {
  ChatTemplateError,
  cutRight,
  type ChatMessage,
  type ChatTemplate,
  type EncodedConversation,
} from './chat/chat-message.js';
export { ModelServer, type ModelServerOptions } from './serve/model-server.js';
