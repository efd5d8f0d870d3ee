// Translates keys of ArCHer, and of its fork for mathematics, whose values choose an environment or algorithm of Bowyer, and
// arguments of the fork's scripts. ArCHer's keys that have the same meaning as an option of Bowyer are flat names of the option:
// configs/flat-names.json.
import { by, each, plain, to, type Meaning } from './outcome.js';

/**
 * ArCHer's environments that in Bowyer are another environment with options (scripts/run.py and archer/environment at commit
 * 7c771a7).
 */
const ENVIRONMENTS: Readonly<Record<string, readonly string[]>> = {
  twenty_questions_subset: ['env=twenty_questions', 'env.words=subset10'],
  llm_twenty_questions_subset: ['env=twenty_questions', 'env.words=subset10', 'env.format=json_prompt'],
  city: ['env=guess_my_city'],
  detective: ['env=adventure'],
};

/** Returns the overrides that replace ArCHer's `env_name=NAME`. */
export const environmentWords = (name: string): readonly string[] =>
  ENVIRONMENTS[name.toLowerCase()] ?? [`env=${name.toLowerCase()}`];

/** The translations of arguments of evaluate_bc.py and of keys of archer_math, both in ArCHer's fork for mathematics. */
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

/**
 * Translates a key of ArCHer's policy update, which has no effect with ArCHer's CHAI: scripts/run.py sets warmup_iter to
 * iterations, so that the policy is never updated.
 */
const ofThePolicy: Meaning = (_value, { algorithm }) =>
  algorithm === 'chai' ? { nothing: 'CHAI trains no policy' } : 'ours';

/**
 * Translates a key of ArCHer's critic, which has no effect with ArCHer's filtered behaviour cloning, since that has no critic.
 */
const ofTheCritic: Meaning = (_value, { algorithm }) =>
  algorithm === 'online_filteredbc' ? { nothing: 'online_filteredbc has no critic' } : 'ours';

/** Translates ArCHer's key of gradient clipping, which is one key for both policy and critic. */
const clip: Meaning = (value, { algorithm }) =>
  algorithm === 'chai' ? { words: [`critic_max_grad_norm=${value}`] } : 'ours';

const baseline: Meaning = (_value, { algorithm }) =>
  algorithm === 'chai' || algorithm === 'online_filteredbc'
    ? { nothing: 'ArCHer’s own code does not read it' }
    : 'ours';

const index: Meaning = (value, { env, isRemote }) => {
  if (env === 'adventure') return { nothing: 'a story always begins in the same way' };
  if (env !== 'webshop') return 'ours';
  if (plain(value) === 'null') return { nothing: 'every goal of the range is played' };
  if (!isRemote) return { refused: 'env.backend=site with the address of a shop; the embedded shop draws its goals' };
  const next = each(value, (one) => String(Number(one) + 1));
  return { words: [`webshop_lower=${value}`, `webshop_upper=${next}`] };
};

/**
 * The translations of ArCHer's keys whose names are also keys of Bowyer. They are applied in runs that do not read Bowyer's key.
 */
export const ARCHER_OWN: Readonly<Record<string, Meaning>> = {
  // ArCHer's cache_dir is a folder for downloaded models; Bowyer's is for warm starts, which a given policy does not need.
  cache_dir: (value) => ({
    words: [],
    env: { HF_HUB_CACHE: plain(value) },
    note: 'models of the hub are kept there, as HF_HUB_CACHE says',
  }),
  lm_lr: ofThePolicy,
  actor_epochs: ofThePolicy,
  warmup_iter: ofThePolicy,
  max_grad_norm: clip,
  critic_lm: ofTheCritic,
  critic_lr: ofTheCritic,
  epochs: ofTheCritic,
  gamma: ofTheCritic,
  tau: ofTheCritic,
  use_baseline: baseline,
  env_idx: index,
};
