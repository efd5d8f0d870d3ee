// Defines the options of the critic (config node `critic`), which depend on its kind.
import { count, oneOf, optionalText } from '@bowyer/core';
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import type { Choices } from './choices.js';
import { nodeOf } from './node.js';

export const criticNode = nodeOf('the network that judges utterances');

const kindOfCritic = oneOf(
  ['auto', 'line', 'recency', 'transformer'],
  'encoder of texts. line: the sum of an embedding of each line of the text, for games of questions; recency: the same with smaller weights for older lines, so that their order counts; transformer: a transformer over the whole text, as in the paper; auto: line for games of questions, else recency',
);
const initialValue = Type.Union([Type.Number(), Type.Null()], {
  description: 'value that every head predicts at first; null: the typical return that the environment declares',
});
const criticWidth = count('size of the embeddings and of the hidden layers');
const stateFeature = oneOf(
  ['pooler', 'first', 'mean'],
  'vector that represents a text. pooler: the output of the encoder’s pooling layer; first: the hidden state of the first token; mean: the mean of all hidden states',
);
const criticLength = count('longest text in tokens; longer ones lose their beginning');
const lineCritic = { kind: kindOfCritic, width: criticWidth, initial_value: initialValue };
const pretrainedCritic = {
  kind: kindOfCritic,
  initial_value: initialValue,
  max_length: criticLength,
  state_feature: stateFeature,
};
const transformerCritic = {
  ...pretrainedCritic,
  width: criticWidth,
  num_layers: count('transformer blocks'),
  num_heads: count('attention heads per block'),
};

const criticModel = {
  model: optionalText(
    'the critic’s encoder in Hugging Face layout, a folder or a model of the hub; null: built from the node `critic`',
    { flat: 'critic_lm' },
  ),
};

/** The options of one kind only; without sizes if `critic.model` names a saved model, which has its own. */
export const criticOptions = ({ setting }: Choices): TProperties => ({
  ...criticModel,
  ...(setting('critic.kind') !== 'transformer'
    ? lineCritic
    : setting('critic.model') !== null
      ? pretrainedCritic
      : transformerCritic),
});

/** The type of the config node `critic` with the options of all kinds. */
export type CriticNode = TObject<typeof criticModel & typeof lineCritic & typeof transformerCritic>;
