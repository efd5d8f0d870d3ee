// Declares a frozen policy whose log-probabilities a loss reads: the initial policy of the run, or a teacher.
import { choice, group } from '@bowyer/core';
import type { Quantization, TokenExample } from '@bowyer/models';

export interface ReferencePolicy {
  /** Computes log p(target | ids up to the position) in nats for each example and position; 0 where the weight is 0. */
  logprobs(examples: readonly TokenExample[], options?: { maxTokens?: number }): Promise<Float32Array[]>;
  release(): Promise<void>;
}

export const referenceOption = group(
  {
    quantization: choice(
      ['none', '8bit', '4bit'],
      'none',
      'bits of the linear layers in a reference policy that is a copy of all weights; with adapters nothing is copied',
      { flat: 'reference_quantization' },
    ),
  },
  'the policy at the start of the run',
);

/** The initial policy of the run; null without a penalty, so that no weights are copied. */
export async function klReference(
  run: { openReference(options: { quantization: Quantization }): Promise<ReferencePolicy> },
  { kl, reference }: { kl: { coefficient: number }; reference: { quantization: Quantization } },
): Promise<ReferencePolicy | null> {
  return kl.coefficient > 0 ? run.openReference(reference) : null;
}
