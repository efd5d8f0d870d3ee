import { hash32, Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { DoubleCritic, LineEncoder, type CriticEncoder, type Tokenizer } from '@bowyer/models';
import { adam } from './policy-setup.js';
import type { RunConfig } from './run-config.js';

/** @param tokenizer the policy's, whose words the built-in critics read */
export async function makeCritic(config: RunConfig, device: Device, tokenizer: Tokenizer): Promise<DoubleCritic> {
  return DoubleCritic.create({
    device,
    encoder: makeEncoder(config, tokenizer),
    rng: new Rng(hash32(`${config.seed}/critic`)),
    outputBias: config.critic.initialValue,
    optimizer: adam,
  });
}

function makeEncoder({ critic }: RunConfig, tokenizer: Tokenizer): CriticEncoder {
  return new LineEncoder(tokenizer, critic.width);
}
