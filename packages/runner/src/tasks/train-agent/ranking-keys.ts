// Defines the config node `ranking`: the options of a judge that compares the rollouts of a group with each other.
import { Type } from '@sinclair/typebox';
import { group, integer, optionalText, text, type OptionsOf } from '@bowyer/core';

/** The options of the judge; without its address, the other options are not read. */
export const rankingNode = group(
  {
    base_url: optionalText(
      'address, up to the version, of the model that compares the rollouts of a group; null: rollouts are not compared',
    ),
    model: text('default', 'name of the model at the endpoint'),
    api_key_env: optionalText('environment variable that contains the API key; null: no key is sent', {
      decides: false,
    }),
    rubric: optionalText(
      'the properties of good rollouts, in words; null: reaching the goal first, then directness, then real progress',
    ),
    weight: Type.Number({
      default: 1,
      description:
        'factor by which the scores, from 0 to 1, are multiplied before they are added to the rewards of the rollouts',
    }),
    max_tokens: integer(2048, 'longest answer in tokens'),
    retries: integer(2, 'further attempts after a failed request, or an answer without scores', {
      minimum: 0,
      decides: false,
    }),
    timeout_ms: integer(300_000, 'milliseconds that an answer may take', { decides: false }),
  },
  'a model that compares the rollouts of a group and scores each of them',
);

export interface RankingConfig {
  ranking: OptionsOf<typeof rankingNode>;
}
