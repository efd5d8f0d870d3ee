// Config keys of ArCHer (its scripts/config/*.yaml at 7c771a7) that runs accept under their own names. Those of the agent and its
// environment are in @bowyer/agent.
import { Type } from '@sinclair/typebox';
import { changeableOnResume, nullable } from '@bowyer/core';

/** The algorithm's name in a composed config; configs/algorithm/NAME.yaml gives it. */
export const algorithmKeys = {
  agent_type: Type.String({
    description: 'name of the algorithm, as in ArCHer’s configs; choose one with algorithm=NAME',
  }),
};

/** Another name of `eval_decoding`, which it decides before the task begins. */
export const decodingKeys = {
  eval_do_sample: nullable(
    Type.Boolean(),
    'another name of eval_decoding (true: sample, false: greedy); null: eval_decoding decides',
  ),
};

/** Weights & Biases as ArCHer's configs switch it on. */
export const wandbKeys = {
  use_wandb: changeableOnResume(Type.Boolean({ description: 'log to Weights & Biases, as logger=wandb does' })),
  wandb_key: changeableOnResume(
    Type.String({ description: 'becomes WANDB_API_KEY of this process, and is empty in the config from then on' }),
  ),
};
