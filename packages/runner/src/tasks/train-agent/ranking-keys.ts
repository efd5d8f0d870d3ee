// Config keys of a judge that compares the rollouts of a group.
import { Type } from '@sinclair/typebox';
import { changeableOnResume, count, nullable, type OptionsOf } from '@bowyer/core';

/** Without an address its other keys are not read. */
export const rankingNode = Type.Object(
  {
    base_url: nullable(
      Type.String(),
      'address, up to the version, of the model that compares the rollouts of a group; null: rollouts are not compared',
    ),
    model: Type.String({ description: 'name of the model at the endpoint' }),
    api_key_env: changeableOnResume(
      nullable(Type.String(), 'environment variable that contains the key; null: none is sent'),
    ),
    rubric: nullable(
      Type.String(),
      'the properties of good rollouts, in words; null: reaching the goal first, then directness, then real progress',
    ),
    weight: Type.Number({
      description:
        'factor by which the scores, from 0 to 1, are multiplied before they are added to the rewards of the rollouts',
    }),
    max_tokens: count('longest answer in tokens'),
    retries: changeableOnResume(count('further attempts after a failed request, or an answer without scores', 0)),
    timeout_ms: changeableOnResume(count('milliseconds that an answer may take')),
  },
  { additionalProperties: false, description: 'a model that compares the rollouts of a group and scores each of them' },
);

export interface RankingConfig {
  ranking: OptionsOf<typeof rankingNode>;
}
