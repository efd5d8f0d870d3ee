// Determines which layers of a model get LoRA adapters, from the Tinker API's flags train_attn, train_mlp and train_unembed.
import type { LanguageModel } from '@bowyer/models';
import { TrainingRequestError } from './request-error.js';
import type { LoraShape, TrainableModules } from './trainable.js';

/** Layers of a block's feed-forward network. Its other layers belong to attention or another mixer of positions. */
const FEED_FORWARD = /(^|\.)(mlp|feed_forward|ffn|shared_expert|shared_experts|shared_mlp)\.|(^|\.)fc[12]$/;
/** Matches the paths of the routers, which select the experts of a mixture. */
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
 * Returns PEFT's target_modules: the last two names of each layer's path, which are the same in all blocks.
 *
 * @throws TrainingRequestError if the output head is requested but has no weights of its own, or no layer is selected
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
