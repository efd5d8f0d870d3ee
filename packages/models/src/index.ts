export { gpt2Config } from './decoder/gpt2-config.js';
export { initializeParameters } from './architecture/initialize-parameters.js';
export { architectureFor } from './language-model/architectures.js';
export { LanguageModel } from './language-model/language-model.js';
export type { FrozenPolicy } from './language-model/frozen-policy.js';
export type { LoadOptions } from './language-model/model-options.js';
export { openAdapterDirectory } from './language-model/model-weights.js';
export { BankFullError, type AdapterBank, type LoadedAdapter, type ReadAdapter } from './lora/adapter-bank.js';
export { AdapterError, isAdapterDirectory } from './lora/peft-files.js';
export { type Quantization } from './quantization/weight-layouts.js';
export { createOptimizer, type OptimizerOptions } from './optimizers/create-optimizer.js';
export { takeExchangeTimes, type ExchangeTimes } from './optimizers/data-parallel.js';
export { type Optimizer } from './optimizers/optimizer.js';
export type { SurrogateLoss } from './training/surrogate-gradient.js';
export type { TargetedTokens, TokenLosses } from './training/token-losses.js';
export type { LoraOptions } from './lora/lora-options.js';
export { tokenBatches, type TokenExample } from './batching/token-batches.js';
export { type ValueHead } from './training/value-head.js';
export { TokenScorer } from './training/token-scorer.js';
export { commonPrefix } from './batching/common-prefix.js';
export { type Episodes } from './decoding/episodes.js';
export { type GeneratedUtterance } from './decoding/turns.js';
export { type PrefixPool } from './decoding/prefix-pool.js';
export { type TopLogprobs } from './decoding/logit-inputs.js';
export { MAX_TOP_LOGPROBS } from './decoding/sampling.js';
export { MAX_TEMPERATURE, type SamplingOptions } from './decoding/sampling-options.js';
export { Seq2SeqModel } from './seq2seq/seq2seq-model.js';
export { loadTextModel } from './inference/load-text-model.js';
export {
  continuationText,
  continuationTokens,
  ItemError,
  type ContinuationItem,
  type PromptItem,
} from './inference/prompt-tokens.js';
export { endOfText, generateTexts } from './inference/generate-texts.js';
export { givenRules, readLogitRules } from './decoding/generation-fields.js';
export { changesLogits, noLogitRules, REPETITION_PENALTIES, type LogitRules } from './decoding/logit-rules.js';
export { scoreContinuations } from './inference/score-continuations.js';
export { generateTargets, scoreTargets } from './inference/seq2seq-items.js';
export { encoderConfigFromJson, type EncoderConfig } from './encoder/encoder-config.js';
export { tokenMatrix, truncateLeft } from './encoder/encoder-tokens.js';
export { isEncoderDirectory, SentenceEncoder } from './encoder/sentence-encoder.js';
export { type CriticEncoder, type CriticFeeds } from './critic/critic-encoder.js';
export { DoubleCritic, type HeadOutputs } from './critic/double-critic.js';
export { LineEncoder } from './critic/line-encoder.js';
export { RecencyEncoder } from './critic/recency-encoder.js';
export { TransformerEncoder } from './critic/transformer-encoder.js';
export { convertCheckpoint } from './convert/convert-checkpoint.js';
export { exportGguf, type ExportedGguf, type GgufOptions } from './export/gguf/export-gguf.js';
export { GgufError } from './export/gguf/gguf-error.js';
export { type TensorTypeName } from './export/gguf/tensor-types.js';
export { exportOnnx, type ExportedOnnx, type OnnxOptions } from './export/onnx/export-onnx.js';
export { OnnxExportError } from './export/onnx/onnx-error.js';
export { onnxPrecisions, type OnnxPrecisionName } from './export/onnx/precisions.js';
