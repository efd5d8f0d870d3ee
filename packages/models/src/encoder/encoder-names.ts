// Names each encoder family's weights as in Hugging Face's checkpoints, without the prefix of the model's name.
// Sources: the checkpoints of BERT, RoBERTa, ALBERT (Lan et al. 2019, arXiv:1909.11942), DistilBERT (arXiv:1910.01108).
import type { EncoderConfig, EncoderType } from './encoder-config.js';

/** The names of linear layers and norms, without `.weight` and `.bias`; those within a layer are relative to the layer. */
interface EncoderNames {
  query: string;
  key: string;
  value: string;
  attentionOutput: string;
  attentionNorm: string;
  /** The first linear layer of the feed-forward layer, hidden → intermediate size. */
  inner: string;
  /** The second linear layer of the feed-forward layer, intermediate → hidden size. */
  outer: string;
  outputNorm: string;
}

const bert: EncoderNames = {
  query: 'attention.self.query',
  key: 'attention.self.key',
  value: 'attention.self.value',
  attentionOutput: 'attention.output.dense',
  attentionNorm: 'attention.output.LayerNorm',
  inner: 'intermediate.dense',
  outer: 'output.dense',
  outputNorm: 'output.LayerNorm',
};

const albert: EncoderNames = {
  query: 'attention.query',
  key: 'attention.key',
  value: 'attention.value',
  attentionOutput: 'attention.dense',
  attentionNorm: 'attention.LayerNorm',
  inner: 'ffn',
  outer: 'ffn_output',
  outputNorm: 'full_layer_layer_norm',
};

const distilbert: EncoderNames = {
  query: 'attention.q_lin',
  key: 'attention.k_lin',
  value: 'attention.v_lin',
  attentionOutput: 'attention.out_lin',
  attentionNorm: 'sa_layer_norm',
  inner: 'ffn.lin1',
  outer: 'ffn.lin2',
  outputNorm: 'output_layer_norm',
};

/** Returns the name and input width of the linear layer from word embeddings to hidden size; undefined if these are equal. */
export function embeddingMap({
  hiddenSize,
  albert,
  electra,
}: EncoderConfig): { name: string; size: number } | undefined {
  if (albert) return { name: 'encoder.embedding_hidden_mapping_in', size: albert.embeddingSize };
  if (!electra || electra.embeddingSize === hiddenSize) return undefined;
  return { name: 'embeddings_project', size: electra.embeddingSize };
}

/** The names of DeBERTa's modules that differ from BERT's. */
const deberta: EncoderNames = {
  ...bert,
  query: 'attention.self.query_proj',
  key: 'attention.self.key_proj',
  value: 'attention.self.value_proj',
};

/** The names of families with BERT's layers; ModernBERT's layers differ and have their own file. */
const others: Partial<Record<EncoderType, EncoderNames>> = { albert, distilbert, 'deberta-v2': deberta };

export const encoderNames = ({ modelType }: EncoderConfig): EncoderNames => others[modelType] ?? bert;

/** Returns the name of the pooler's map. Where a family's checkpoints have no pooler, a critic's pooler is saved under BERT's name. */
export const poolerName = ({ modelType }: EncoderConfig): string =>
  modelType === 'albert' ? 'pooler' : 'pooler.dense';

export const wordTable = ({ modelType }: EncoderConfig): string =>
  modelType === 'modernbert' ? 'embeddings.tok_embeddings.weight' : 'embeddings.word_embeddings.weight';

/**
 * Lists the names of the layers in the order in which they are applied. ALBERT's are repeated: layer i of L belongs to group ⌊i ·
 * groups / L⌋, which has one or more layers.
 */
export function layerNames({ modelType, numLayers, albert }: EncoderConfig): string[] {
  const stack = modelType === 'distilbert' ? 'transformer' : 'encoder';
  return Array.from({ length: numLayers }, (_, i) => {
    if (!albert) return [`${stack}.layer.${i}`];
    const group = Math.floor((i * albert.numGroups) / numLayers);
    return Array.from(
      { length: albert.layersPerGroup },
      (_, j) => `encoder.albert_layer_groups.${group}.albert_layers.${j}`,
    );
  }).flat();
}
