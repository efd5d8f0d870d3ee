export {
  HuggingFaceTokenizer,
  loadTokenizer,
  TokenizerFileError,
  type DecodeOptions,
  type Tokenizer,
} from './tokenizers/tokenizer.js';
export { wordLevelTokenizer, type WordLevelOptions } from './tokenizers/word-level-tokenizer.js';
export {
  readSafetensors,
  readSafetensorsFile,
  readWeights,
  writeSafetensors,
  writeWeights,
  type HostTensor,
  type HostTensors,
  type ReadOptions,
} from '@bowyer/checkpoints';
export { SafetensorsError } from '@bowyer/checkpoints';
export { PretrainedDirectoryError, readPretrainedConfig, type PretrainedConfig } from '@bowyer/checkpoints';
export { createOptimizer, type Optimizer, type OptimizerOptions, type StepOptions } from './optimizers/optimizer.js';
export { Adam, AdamW, type AdamOptions } from './optimizers/adam.js';
export { AdamW8bit } from './optimizers/adamw-8bit.js';
export { Sgd, type SgdOptions } from './optimizers/sgd.js';
export { type StepResult } from './optimizers/gradient-clip.js';
export {
  DoubleCritic,
  type CriticBatch,
  type CriticLosses,
  type DoubleCriticOptions,
  type HeadOutputs,
} from './critic/double-critic.js';
export { type CriticEncoder, type CriticFeeds } from './critic/critic-encoder.js';
export { LineEncoder } from './critic/line-encoder.js';
export { LanguageModel, type LanguageModelOptions, type LoadOptions } from './language-model/language-model.js';
export { type LoraOptions } from './lora/lora-options.js';
export { AdapterError, isAdapterDirectory } from './lora/peft-files.js';
export { openAdapterDirectory } from './language-model/model-weights.js';
export { tokenBatches, type TokenBatch, type TokenExample } from './batching/token-batches.js';
export { TokenScorer, type TokenScorerOptions } from './training/token-scorer.js';
export { freshParameters } from './architecture/initialize-parameters.js';
export { type BatchOptions } from './training/token-scorer.js';
export { type Episodes, type Turn, type Utterance } from './decoding/episodes.js';
export { type SamplingOptions } from './decoding/sampling.js';
export { type CausalArchitecture, type ForwardScope, type ParameterSpec } from './architecture/architecture.js';
export { gpt2 } from './decoder/gpt2.js';
export { gpt2Config, type Gpt2Config } from './decoder/gpt2-config.js';
export { llama } from './decoder/llama.js';
export { llamaConfig, type LlamaConfig } from './decoder/llama-config.js';
export { gptNeoX } from './decoder/gpt-neox.js';
export { gptNeoXConfig, type GptNeoXConfig } from './decoder/gpt-neox-config.js';
export { UnsupportedConfigError } from '@bowyer/checkpoints';
export { architectureFor } from './language-model/architectures.js';
export { TransformerEncoder, type TransformerEncoderOptions } from './critic/transformer-encoder.js';
export { encoderConfigFromJson, encoderConfigToJson, maxTokens, type EncoderConfig } from './encoder/encoder-config.js';
export { encoderHiddenStates, textFeature, type EncoderInputs, type TextFeature } from './encoder/encoder-graph.js';
export { encoderShapes, initialEncoder, loadEncoder, saveEncoder } from './encoder/encoder-weights.js';
export { MaskedLanguageModel, type MaskedLanguageModelOptions } from './encoder/masked-language-model.js';
export { tokenMatrix, truncateLeft, type TokenMatrix } from './encoder/encoder-tokens.js';
export { readPyTorchStateDict, type StateDictOptions } from '@bowyer/checkpoints';
export { readLlama2c, type Llama2cCheckpoint } from '@bowyer/checkpoints';
export { readLlama2cTokenizer } from './tokenizers/llama2c-tokenizer.js';
export { WeightsFileError } from '@bowyer/checkpoints';
export { loadTextModel } from './inference/load-text-model.js';
export { Seq2SeqModel, type Seq2SeqModelOptions, type Source } from './seq2seq/seq2seq-model.js';
export { generateTargets, scoreTargets, type GeneratedTarget } from './inference/seq2seq-items.js';
export { encoderDecoderFor, encoderDecoderTypes } from './seq2seq/seq2seq-architectures.js';
export { scoreContinuations, type ContinuationScores, type ScoreContinuationsOptions } from './inference/score-continuations.js';
export { endOfText, generateTexts, type GeneratedText, type GenerateTextsOptions } from './inference/generate-texts.js';
export { ItemError, type ContinuationItem, type PromptItem } from './inference/prompt-tokens.js';
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
export { modelDirectory, type HubOptions } from '@bowyer/checkpoints';
export { chatTemplate, templateTokens } from './chat/chat-template.js';
export {
  ChatTemplateError,
  cutRight,
  type ChatMessage,
  type ChatTemplate,
  type EncodedConversation,
} from './chat/chat-message.js';
export { ModelServer, type ModelServerOptions } from '@bowyer/serving';
