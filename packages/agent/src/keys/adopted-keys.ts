// Config keys of ArCHer (its scripts/config/*.yaml at 7c771a7) and of AgentGym that are accepted here under their own names.
import { Type } from '@sinclair/typebox';
import { nullable, changeableOnResume } from '@bowyer/core';

/** Secrets do not belong in a config, which is saved in the run's folder. */
export const secretKeys = {
  huggingface_token: changeableOnResume(
    Type.String({
      description: 'accepted from ArCHer’s configs, where it must be empty: set HF_TOKEN in the environment instead',
    }),
  ),
};

/** Keys outside the node `env` that environments read: ArCHer's, and AgentGym's address. */
export const environmentKeys = {
  env_name: nullable(Type.String(), 'ArCHer’s name for env.name; where both are given they must agree'),
  env_idx: nullable(
    Type.Integer({ minimum: 0 }),
    'play only the item with this index in the environment’s list; null: all items',
  ),
  env_load_path: nullable(
    Type.String(),
    'a file or address that the environment loads: a story file, the weights of an oracle, or the address of a shop',
  ),
  env_server_base: nullable(
    Type.String(),
    'AgentGym’s name for env.base_url: the address of the server where the environment is played',
  ),
};

/** WebShop's range of goals in ArCHer's configs. */
export const shopKeys = {
  webshop_lower: nullable(Type.Integer({ minimum: 0 }), 'ArCHer’s name for env.webshop_lower on a site: first goal'),
  webshop_upper: nullable(
    Type.Integer({ minimum: 0 }),
    'ArCHer’s name for env.webshop_upper on a site: the number after the last goal',
  ),
};
