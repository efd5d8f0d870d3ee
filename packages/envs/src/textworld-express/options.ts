import { choice, flag, integer, LONGEST_WAIT_MS, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

export const textWorldExpressSchema = options({
  backend: choice(
    ['embedded', 'java'],
    'embedded',
    "'embedded' plays in this process; 'java' plays in a listening TextWorldExpress simulator.",
  ),
  baseUrl: text(null, "host:port of the simulator for backend 'java'; null means 127.0.0.1:25335."),
  timeoutMs: integer(30_000, "Milliseconds that connecting and each answer may take with backend 'java'.", {
    maximum: LONGEST_WAIT_MS,
  }),
  fold: choice(
    ['train', 'dev', 'test'],
    null,
    'Fold of the content: recipes, objects, nouns and problems differ between folds. null: train for training, dev for evaluation, test for the test.',
  ),
  params: text('', "The world's size as 'name=value,name=value', for example 'numLocations=3,includeDoors=1'."),
  stepLimit: integer(
    100,
    'Actions before the one that truncates the episode, so that one more than this number is played.',
    { minimum: 0 },
  ),
  contentDir: text(null, "Folder with TextWorldExpress's two content files; null plays with the built-in content."),
  showValidActions: flag(false, 'Write the valid actions below every observation.'),
});

export type TextWorldExpressOptions = OptionsOf<typeof textWorldExpressSchema>;
