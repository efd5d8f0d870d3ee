import { choice, flag, integer, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

export const textWorldExpressSchema = options({
  fold: choice(
    ['train', 'dev', 'test'],
    null,
    'Fold of the content: recipes, objects, nouns and problems differ between folds. null: train for training, dev for evaluation, test for the test.',
  ),
  params: text(
    '',
    "The world's size as 'name=value,name=value', for example 'numLocations=3,includeDoors=1'; empty: the game's own.",
  ),
  stepLimit: integer(
    100,
    'Actions before the one that truncates the episode, so that one more than this number is played.',
    { minimum: 0 },
  ),
  contentDir: text(null, "Folder with TextWorldExpress's two content files; null plays with the built-in content."),
  showValidActions: flag(false, 'Write the valid actions below every observation.'),
});

export type TextWorldExpressOptions = OptionsOf<typeof textWorldExpressSchema>;
