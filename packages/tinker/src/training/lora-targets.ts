// Finds the layers that the flags train_attn, train_mlp and train_unembed select.
import type { LanguageModel } from '@bowyer/models';
import { TrainingRequestError } from './request-error.js';
import type { LoraShape, TrainableModules } from './trainable.js';

/** Matches paths of layers of a block's feed-forward network; all other layers of a block mix positions. */
const FEED_FORWARD = /(^|\.)(mlp|feed_forward|ffn|shared_expert|shared_experts|shared_mlp)\.|(^|\.)fc[12]$/;
/** Matches paths of layers that select experts. */
const ROUTER = /(^|\.)(gate|router|shared_expert_gate)$/;

export function trainableModules({ blocks, heads }: LanguageModel['linearModules']): TrainableModules {
  const layers = blocks.filter((path) => !ROUTER.test(path));
  return {
    attn: layers.filter((path) => !FEED_FORWARD.test(path)),
    mlp: layers.filter((path) => FEED_FORWARD.test(path)),
    unembed: heads,
  };
}

/**
 * Returns PEFT's target_modules for the flags of a shape: the last two names of each path, which are the same in the files of
 * all layers.
 *
 * @throws TrainingRequestError if the head is requested and has no separate layer, or no layer is left
 */
export function targetModules(modules: TrainableModules, { trainAttn, trainMlp, trainUnembed }: LoraShape): string[] {
  if (trainUnembed && modules.unembed.length === 0)
    throw new TrainingRequestError(
      "lora_config: train_unembed is true, and this model's output head is its embedding, which no adapter trains\n" +
        '  send train_unembed: false, with train_attn or train_mlp',
    );
  const paths = [
    ...(trainAttn ? modules.attn : []),
    ...(trainMlp ? modules.mlp : []),
    ...(trainUnembed ? modules.unembed : []),
  ];
  if (paths.length > 0) return [...new Set(paths.map((path) => path.split('.').slice(-2).join('.')))];
  throw new TrainingRequestError(
    'lora_config: train_attn, train_mlp and train_unembed leave no layer of this model to train; set one of them to true',
  );
}
