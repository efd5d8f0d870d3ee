// Builds the graphs that score token batches: log-probabilities alone, and the whole training step (loss and every gradient).
import { GraphBuilder, gradients, type Precision, type Value } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { causalAttention, treeAttention } from '../layers/attention.js';
import { SeededDropout } from '../layers/dropout.js';
import { GraphScope } from '../decoder/forward-scope.js';
import { AdapterBankGraph, PLACES } from '../lora/adapter-bank-graph.js';
import type { BankLayout } from '../lora/adapter-bank-layout.js';
import { AdapterGraph } from '../lora/adapter-graph.js';
import type { AdapterLayout } from '../lora/adapter-layout.js';
import type { TrainingIntegers } from '../quantization/integer-training.js';
import type { QuantizedWeight } from '../quantization/quantized-weight.js';
import { logitsAmong, maskBytes } from '../layers/token-mask.js';
import { vocabularyLoss } from '../layers/vocabulary-loss.js';
import { vocabularyScores } from '../layers/vocabulary-scores.js';
import { maskedLogits } from '../layers/vocabulary-mask.js';
import { surrogateWeights, valueSlopes, type SurrogateForm } from './surrogate-gradient.js';
import { treeBlocks, treePositions, treeSequences } from './tree-inputs.js';
import { valueHeadGraph, valueHeadInputs } from './value-head.js';

export interface ScoringOptions {
  /** Tokens that have probability 0, in sampling and in scoring. */
  maskedTokenIds: readonly number[];
  /** LoRA adapters; the parameters are frozen then. */
  adapters?: AdapterLayout;
  /** A bank of adapters, of which the input `adapter_places` [1] selects one for all rows; for scoring, not with `adapters`. */
  bank?: BankLayout;
  /** Frozen weights in 4 or 8 bits, by name. */
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** Weights that are multiplied as 8-bit integers (see integer-training.ts): some of `quantized`, and the output head. */
  trainingIntegers?: ReadonlyMap<string, TrainingIntegers>;
  /** The type of the weights that are not quantised; 'float32' by default. */
  weightType?: Precision;
  /**
   * Whether entropies are computed too: in scoring as a further output; in training as a further term of the loss with the input
   * `entropy_weights`.
   */
  entropy?: boolean;
  /**
   * Whether the value head is computed too, at the input `value_positions`: in scoring as a further output; in training as a further
   * term of the loss with the input `value_weights`.
   */
  value?: boolean;
  /**
   * Whether some positions have a mask of the tokens that can be chosen: inputs `token_masks` [masks, bytes] (see `logitsAmong`), and
   * `mask_rows` [scored], the index of each position's mask.
   */
  masked?: boolean;
  /** Whether ids are the [tokens] of a tree (see token-tree.ts), which has further inputs (tree-inputs.ts). */
  tree?: boolean;
  /** The number of chunks of queries (or groups of blocks of a tree) for which attention is computed in turn; 1 if omitted. */
  chunks?: number;
  /** The number of chunks into which the rows of the LM head are divided in scoring; 1 if omitted. */
  headChunks?: number;
}

export interface TrainingOptions extends ScoringOptions {
  /** Whether dropout with the probabilities of config.json is applied. */
  dropout: boolean;
  /** Whether the backward pass computes blocks again instead of keeping their activations: less memory, up to a third more time. */
  checkpointing?: boolean;
  /** The number of chunks of the loss's rows, so that only one chunk of logits is in memory; 1 if omitted. */
  lossChunks?: number;
  /** Whether gradients are multiplied by a further input, the scalar `loss_scale`. */
  scalesLoss?: boolean;
  /**
   * Whether other processes compute some rows of the batch. With dropout there is then a further input, the scalar
   * `dropout_first_row`: the index in the batch of the first row here (see SeededDropout).
   */
  sharesBatch?: boolean;
  /**
   * If given, gradients are those of this loss, computed from the log-probabilities (and values) of the same pass. The outputs are
   * then `logprobs` [scored] instead of `loss`, and with `value` also `values` [valued].
   */
  surrogate?: SurrogateForm;
  /** With a surrogate: whether there is a further output `entropies` [scored]. */
  entropies?: boolean;
  /**
   * With a surrogate: whether there is a further output `reported_logprobs`, log p at the inputs `reported_positions` and
   * `reported_targets`, computed in the forward pass alone.
   */
  reports?: boolean;
}

/** Lists the parameters that training changes: all, or with LoRA only the adapters. */
export const trainableParameters = (
  architecture: CausalArchitecture,
  adapters: AdapterLayout | undefined,
): readonly { name: string; shape: number[]; isBuffer?: boolean }[] => adapters?.parameters ?? architecture.parameters;

/** Returns whether the training graph has the input `dropout_seed`, for the config's dropout or for the adapters' own. */
export const drops = (dropout: boolean, adapters: AdapterLayout | undefined): boolean =>
  dropout || (adapters?.options.dropout ?? 0) > 0;

export const gradientName = (parameter: string) => `gradient.${parameter}`;

/** The number of logits per scored position in `logits_head`. */
export const LOGITS_HEAD = 10;

/**
 * Builds the graph of scoring. Outputs: `logprobs` [scored], log p(target) in nats at each scored position; `logits_head` [scored,
 * 10], its first logits, for comparisons between implementations; with `entropy` also `entropies` [scored] in nats, with `value` also
 * `values` [valued].
 */
export function scoringGraph(architecture: CausalArchitecture, options: ScoringOptions): GraphBuilder {
  const g = new GraphBuilder('score');
  const { rows, valueRows, logitsOf, targets } = scoredRows(g, architecture, options, undefined);
  const { logprobs, entropies, logitsHead } = vocabularyScores(g, {
    rows,
    targets,
    entropies: options.entropy,
    logits: logitsOf,
    chunks: options.headChunks ?? 1,
    head: Math.min(LOGITS_HEAD, architecture.vocabSize),
  });
  g.output('logprobs', logprobs);
  if (entropies) g.output('entropies', entropies);
  if (valueRows) g.output('values', valueHeadGraph(g, valueRows, valueHeadInputs(g, Number(valueRows.dim(1)))));
  g.output('logits_head', logitsHead!);
  return g;
}

/**
 * Builds the graph of training. Outputs: `loss` (the scalar Σ weights · −log p; with `entropy` plus Σ entropy_weights · −H), and its
 * gradient by every trainable parameter: all of them, or with LoRA only those of the adapters. With `value` the gradients are those of
 * loss + Σ value_weights · V, and those of the value head are further outputs. With LoRA nothing is computed for the base's own
 * weights or below the lowest adapter, since nodes that no output needs are left out of the model.
 */
export function trainingGraph(architecture: CausalArchitecture, options: TrainingOptions): GraphBuilder {
  const g = new GraphBuilder('train');
  const scored = scoredRows(g, architecture, options, options);
  const { scope, adapters, dropoutSeed, firstRow, rows, valueRows, allRows, logitsOf, targets } = scored;
  const { surrogate } = options;
  const weights = surrogate ? surrogateWeights(g, surrogate) : g.input('weights', 'float32', ['scored']);
  const trainable = trainableParameters(architecture, options.adapters);
  for (const { name, shape, isBuffer } of trainable) if (isBuffer) g.output(gradientName(name), g.zeros(shape));
  const names = trainable.filter(({ isBuffer }) => !isBuffer).map(({ name }) => name);
  const parameters = adapters?.parameters ?? names.map((name) => scope.parameter(name));
  const { loss, rowGradient, parameterGradients, ...found } = vocabularyLoss(g, {
    rows,
    targets,
    weights,
    entropies: options.entropies,
    entropyWeights: options.entropy ? g.input('entropy_weights', 'float32', ['scored']) : undefined,
    gradientScale: options.scalesLoss ? g.input('loss_scale', 'float32', []) : undefined,
    logits: logitsOf,
    parameters,
    chunks: options.lossChunks ?? 1,
  });
  if (surrogate) {
    g.output('logprobs', found.logprobs);
    if (options.entropies) g.output('entropies', found.entropies!);
    if (options.reports) g.output('reported_logprobs', reportedLogprobs(g, scored, options.headChunks ?? 1));
  } else g.output('loss', loss);
  const seeds = [dropoutSeed, firstRow].filter((source) => source !== undefined);
  const recompute = options.checkpointing
    ? { boundaries: scope.blockBoundaries, sources: [...seeds, ...scope.readLater] }
    : undefined;
  const upstream = valueRows ? g.concat([rowGradient, valueRowGradient(g, valueRows, options)], 0) : rowGradient;
  const gradientOptions = { upstream, contributed: parameterGradients, recompute };
  gradients(g, allRows, parameters, gradientOptions).forEach((gradient, i) =>
    g.output(gradientName(names[i]), gradient),
  );
  return g;
}

/** Computes log p [reported] at the positions that `reported_positions` lists, which have no gradient. */
function reportedLogprobs(
  g: GraphBuilder,
  { residual, logitsOf }: ReturnType<typeof scoredRows>,
  chunks: number,
): Value {
  const rows = g.gather(residual, g.input('reported_positions', 'int32', ['reported']), 0);
  const targets = g.cast(g.input('reported_targets', 'int32', ['reported']), 'int64');
  return vocabularyScores(g, { rows, targets, logits: logitsOf, chunks, head: 0 }).logprobs;
}

/**
 * Computes the gradient of Σ value_weights · V (or of the surrogate's value loss) by the hidden states that the value head reads;
 * the gradients by the value head's parameters become outputs of the graph.
 */
function valueRowGradient(g: GraphBuilder, valueRows: Value, { scalesLoss, surrogate }: TrainingOptions): Value {
  if (scalesLoss) throw new Error('the value head is not built for loss scaling');
  const rows = g.stopGradient(valueRows);
  const head = valueHeadInputs(g, Number(rows.dim(1)));
  const values = valueHeadGraph(g, rows, head);
  if (surrogate) g.output('values', values);
  const upstream = surrogate
    ? valueSlopes(g, values, surrogate.valueClip!)
    : g.input('value_weights', 'float32', ['valued']);
  const [gradient, ...own] = gradients(g, values, [rows, ...Object.values(head)], { upstream });
  Object.keys(head).forEach((name, i) => g.output(gradientName(name), own[i]));
  return gradient;
}

/** Returns the width of the model's residual stream, which a value head reads. */
export function trunkWidth(architecture: CausalArchitecture): number {
  const { rows } = scoredRows(new GraphBuilder('width'), architecture, { maskedTokenIds: [] }, undefined);
  return Number(rows.dim(1));
}

/**
 * Computes the hidden states of scored positions only, so that the LM head is not applied to prompts and padding, and returns a
 * function from hidden states to logits. Inputs: ids [batch, tokens], scored_positions and targets [scored], all int32; with
 * `value` also value_positions [valued]; with `tree` ids [tokens] and the inputs of tree-inputs.ts.
 *
 * @returns `rows` [scored, width] and `valueRows` [valued, width] are the hidden states; `allRows` is both in one tensor
 */
function scoredRows(
  g: GraphBuilder,
  architecture: CausalArchitecture,
  {
    maskedTokenIds,
    adapters: adapterLayout,
    bank,
    value,
    tree = false,
    masked,
    chunks = 1,
    ...weights
  }: ScoringOptions,
  training: Pick<TrainingOptions, 'dropout' | 'sharesBatch' | 'surrogate'> | undefined,
) {
  const ids = g.input('ids', 'int32', tree ? ['tokens'] : ['batch', 'tokens']);
  const scoredPositions = g.input('scored_positions', 'int32', ['scored']);
  const shape = training?.surrogate?.isWide ? ['scored', 'width'] : ['scored'];
  const targets: Value = g.cast(g.input('targets', 'int32', shape), 'int64');
  const { heads, keyValueHeads, headSize } = architecture;
  const sizes = { heads, keyValueHeads, headSize };
  const positions = tree ? treePositions(g) : g.range('tokens');
  const blocks = tree ? treeBlocks(g, chunks, positions, sizes, training !== undefined) : undefined;
  const dropoutSeed =
    training && drops(training.dropout, adapterLayout) ? g.input('dropout_seed', 'int32', []) : undefined;
  const firstRow = dropoutSeed && training?.sharesBatch ? g.input('dropout_first_row', 'int32', []) : undefined;
  const seeded = dropoutSeed && new SeededDropout(g, dropoutSeed, firstRow);
  const adapters = adapterLayout && new AdapterGraph(g, adapterLayout, seeded);
  const scope = new GraphScope(g, architecture, {
    batch: tree ? 1 : 'batch',
    tokens: 'tokens',
    tree: tree ? treeSequences(g) : undefined,
    operandOrder: 'rows-left',
    attention: (_layer, queryKeyValue, form, dropout) =>
      blocks
        ? treeAttention(g, queryKeyValue, sizes, blocks, { form, dropout })
        : causalAttention(g, queryKeyValue, { ...sizes, batch: 'batch', tokens: 'tokens' }, { form, dropout, chunks }),
    quantized: weights.quantized,
    trainingIntegers: weights.trainingIntegers,
    weightType: weights.weightType,
    adapters: bank ? new AdapterBankGraph(g, bank, g.input(PLACES, 'int32', [1])) : adapters,
    dropout: training?.dropout ? seeded : undefined,
  });
  const residual = architecture.residual(scope, tree ? ids : g.reshape(ids, [-1]), positions);
  const masks = masked && {
    bytes: g.input('token_masks', 'uint8', ['masks', maskBytes(architecture.vocabSize)]),
    rows: g.input('mask_rows', 'int32', ['scored']),
  };
  const logitsOf = (rows: Value, pick: (x: Value) => Value) => {
    const logits = maskedLogits(g, architecture.logits(scope, rows), maskedTokenIds);
    return masks ? logitsAmong(g, logits, g.gather(masks.bytes, pick(masks.rows), 0)) : logits;
  };
  const shared = { scope, residual, adapters, dropoutSeed, firstRow, targets, logitsOf };
  if (!value) {
    const rows = g.gather(residual, scoredPositions, 0);
    return { ...shared, rows, valueRows: undefined, allRows: rows };
  }
  const valuePositions = g.input('value_positions', 'int32', ['valued']);
  const allRows = g.gather(residual, g.concat([scoredPositions, valuePositions], 0), 0);
  const rows = g.slice(allRows, 0, 0, 'scored');
  return { ...shared, rows, valueRows: g.slice(allRows, 0, 'scored'), allRows };
}
