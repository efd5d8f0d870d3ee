// The names of each encoder family's weights in Hugging Face's checkpoints, without the prefix of the model's name.
// Sources: the checkpoints of BERT, RoBERTa, ALBERT (Lan et al. 2019, arXiv:1909.11942), DistilBERT (arXiv:1910.01108).
import type { EncoderConfig, EncoderType } from './encoder-config.js';

/** A linear map or norm each: `.weight` and `.bias` follow. Names of a layer's parts follow the layer's name and a dot. */
interface EncoderNames {
  query: string;
  key: string;
  value: string;
  attentionOutput: string;
  attentionNorm: string;
  /** Hidden → intermediate. */
  inner: string;
  /** Intermediate → hidden. */
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

/** Returns the map from the width of the word table to that of the layers, and that width; undefined where both are the same. */
export function embeddingMap({
  hiddenSize,
  albert,
  electra,
}: EncoderConfig): { name: string; size: number } | undefined {
  if (albert) return { name: 'encoder.embedding_hidden_mapping_in', size: albert.embeddingSize };
  if (!electra || electra.embeddingSize === hiddenSize) return undefined;
  return { name: 'embeddings_project', size: electra.embeddingSize };
}

/** DeBERTa's, where they differ from BERT's. */
const deberta: EncoderNames = {
  ...bert,
  query: 'attention.self.query_proj',
  key: 'attention.self.key_proj',
  value: 'attention.self.value_proj',
};

/** The names in families that have BERT's layers under names of their own; ModernBERT's layers are its own too. */
const others: Partial<Record<EncoderType, EncoderNames>> = { albert, distilbert, 'deberta-v2': deberta };

export const encoderNames = ({ modelType }: EncoderConfig): EncoderNames => others[modelType] ?? bert;

/** Names the map of the first token; where a family's checkpoints have none, a critic's own is kept under BERT's name. */
export const poolerName = ({ modelType }: EncoderConfig): string =>
  modelType === 'albert' ? 'pooler' : 'pooler.dense';

/** Names the table of the words' embeddings. */
export const wordTable = ({ modelType }: EncoderConfig): string =>
  modelType === 'modernbert' ? 'embeddings.tok_embeddings.weight' : 'embeddings.word_embeddings.weight';

/**
 * Returns the names of the layers in the order in which a text passes them. ALBERT's come up again and again: layer i of L is group
 * ⌊i · groups / L⌋, of one or more layers.
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
