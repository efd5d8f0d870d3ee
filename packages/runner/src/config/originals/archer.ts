// Translates keys of ArCHer and of its fork for mathematics whose values choose units here, and arguments of the fork's scripts.
// Keys with the same meaning are flat names of options: configs/flat-names.json.
import { by, each, plain, to, type Meaning } from './outcome.js';

/** ArCHer's environments that are options of environments here (scripts/run.py and archer/environment at 7c771a7). */
const ENVIRONMENTS: Readonly<Record<string, readonly string[]>> = {
  twenty_questions_subset: ['env=twenty_questions', 'env.words=subset10'],
  llm_twenty_questions_subset: ['env=twenty_questions', 'env.words=subset10', 'env.format=json_prompt'],
  city: ['env=guess_my_city'],
  detective: ['env=adventure'],
};

/** Returns the overrides for `env_name=NAME`. */
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

/**
 * Translates a key of ArCHer's policy update. ArCHer's CHAI never reaches that update, since scripts/run.py sets warmup_iter to
 * iterations.
 */
const ofThePolicy: Meaning = (_value, { algorithm }) =>
  algorithm === 'chai' ? { nothing: 'CHAI trains no policy' } : 'ours';

/** Translates a key of ArCHer's critic, which its filtered behaviour cloning does not have. */
const ofTheCritic: Meaning = (_value, { algorithm }) =>
  algorithm === 'online_filteredbc' ? { nothing: 'online_filteredbc has no critic' } : 'ours';

/** Translates the key of gradient clipping; ArCHer has one key for both its models. */
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

/** Meanings of ArCHer's keys that are keys here too, for runs that do not read them. */
export const ARCHER_OWN: Readonly<Record<string, Meaning>> = {
  // In ArCHer this folder is for downloaded models; here it is for warm starts, which a given policy does not need.
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
