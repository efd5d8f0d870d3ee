// Keys of ArCHer and of its fork for mathematics whose values choose units here, and arguments of the fork's scripts. Keys with the
// same name and meaning are in adopted-keys.ts.
import { by, plain, to, type Meaning } from './outcome.js';

/** ArCHer's environments whose names or sizes are options here (scripts/run.py and archer/environment at 7c771a7). */
const ENVIRONMENTS: Readonly<Record<string, readonly string[]>> = {
  twenty_questions_subset: ['env=twenty_questions', 'env.words=subset10'],
  llm_twenty_questions_subset: ['env=twenty_questions', 'env.words=subset10', 'env.format=json_prompt'],
  city: ['env=guess_my_city'],
  detective: ['env=adventure'],
};

/** The words for `env_name=NAME`. */
export const environmentWords = (name: string): readonly string[] =>
  ENVIRONMENTS[name.toLowerCase()] ?? [`env=${name.toLowerCase()}`];

/** Arguments of evaluate_bc.py and keys of the fork's archer_math. */
export const MATHEMATICS: Readonly<Record<string, Meaning>> = {
  max_tokens: by(
    (value, { isEndpoint }) => ({
      words: [`${isEndpoint ? 'policy.endpoint.max_tokens' : 'max_new_tokens'}=${value}`],
    }),
    to('env.max_attempts', 'max_new_tokens'),
  ),
  model_name: to('policy_lm'),
  num_problems: to('test_size'),
};

/** Keys of ArCHer that exist here too, where a run does not read them. */
export const ARCHER_OWN: Readonly<Record<string, Meaning>> = {
  // ArCHer's folder of downloaded models; here that of warm starts, which a policy that is given has not.
  cache_dir: (value) => ({
    words: [],
    env: { HF_HUB_CACHE: plain(value) },
    note: 'models of the hub are kept there, as HF_HUB_CACHE says',
  }),
};
