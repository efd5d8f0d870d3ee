// Config keys of ArCHer (its scripts/config/*.yaml at 7c771a7) and of AgentGym that are accepted here under their own names.
import { Type } from '@sinclair/typebox';
import { nullable } from '@bowyer/core';
import { undecided } from '../config/undecided.js';

/** The algorithm's name in a composed config; configs/algorithm/NAME.yaml gives it. */
export const algorithmKeys = {
  agent_type: Type.String({ description: 'the algorithm’s name in ArCHer’s configs; choose one by algorithm=NAME' }),
};

/** Another name of `eval_decoding`, which it decides before the task begins. */
export const decodingKeys = {
  eval_do_sample: nullable(
    Type.Boolean(),
    'another name of eval_decoding, true: sample, false: greedy; null: as eval_decoding says',
  ),
};

/** Secrets do not belong in a config, which is saved in the run's folder. */
export const secretKeys = {
  huggingface_token: undecided(
    Type.String({ description: 'kept for ArCHer’s configs; must be empty: set HF_TOKEN in the environment' }),
  ),
};

/** Weights & Biases as ArCHer's configs switch it on. */
export const wandbKeys = {
  use_wandb: undecided(Type.Boolean({ description: 'log to Weights & Biases: the same as logger=wandb' })),
  wandb_key: undecided(
    Type.String({ description: 'becomes WANDB_API_KEY of this process, and is empty in the config from then on' }),
  ),
};

/** Keys outside the node `env` that environments read: ArCHer's, and AgentGym's address. */
export const environmentKeys = {
  env_name: nullable(Type.String(), 'ArCHer’s name for env.name; where both are given they must agree'),
  env_idx: nullable(
    Type.Integer({ minimum: 0 }),
    'play only the item of this index in the environment’s list; null: all',
  ),
  env_load_path: nullable(
    Type.String(),
    'what the environment loads: a story file, the weights of an oracle, or the address of a shop',
  ),
  env_server_base: nullable(
    Type.String(),
    'AgentGym’s name for env.base_url: address of the server of an environment that is played there',
  ),
};

/** WebShop's range of goals in ArCHer's configs. */
export const shopKeys = {
  webshop_lower: nullable(Type.Integer({ minimum: 0 }), 'ArCHer’s name for env.webshop_lower on a site: first goal'),
  webshop_upper: nullable(
    Type.Integer({ minimum: 0 }),
    'ArCHer’s name for env.webshop_upper on a site: one past the last goal',
  ),
};
