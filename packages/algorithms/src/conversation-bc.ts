// Behaviour cloning on conversations: maximise the likelihood of what the assistant said in them.
// Loss as AgentGym's BCTrainer has it (Xi et al. 2024, arXiv:2406.04151): L = −mean over the batch's learnt tokens of log π(a | before it).
// Differs from it: the mean is over the whole batch, not a micro-batch; the message's own `loss` is heeded (see the chat template).
import { minibatches, Rng, scheduledRate } from '@bowyer/core';
import type { EncodedConversation, LanguageModel, TokenExample } from '@bowyer/models';
import type { BcOptions } from './recipes/bc.js';
import { untrained, type ImitationHooks } from './imitation.js';

export interface ConversationBcRun extends ImitationHooks {
  policy: LanguageModel;
  conversations: readonly EncodedConversation[];
}

/**
 * The terminator of a message is learnt where the template's mask says so; `scoreTerminator` is not looked at.
 *
 * @returns false where `afterStep` stopped it before its end
 */
export async function conversationBc(
  { policy, conversations, from = untrained, onEpoch, progress, afterStep }: ConversationBcRun,
  options: Omit<BcOptions, 'scoreTerminator'>,
): Promise<boolean> {
  const stepsPerEpoch = Math.ceil(conversations.length / options.batchSize);
  const totalSteps = options.epochs * stepsPerEpoch;
  const { schedule = { kind: 'linear', warmupSteps: options.warmupSteps, finalShare: options.finalLrShare } } = options;

  // The loss of an epoch is the mean over its learnt tokens, which `count` counts.
  let { step, lossSum, count } = from;
  for (let epoch = Math.floor(step / stepsPerEpoch); epoch < options.epochs; epoch++) {
    const batches = [...minibatches(conversations, options.batchSize, Rng.forPurpose(options.seed, `bc/${epoch}`))];
    for (const batch of batches.slice(step % stepsPerEpoch)) {
      const learnt = batch.reduce((sum, conversation) => sum + learntTokens(conversation), 0);
      const examples = batch.map((conversation) => conversationExample(conversation, 1 / learnt));
      const { loss } = await policy.accumulateGradients(examples);
      const lr = scheduledRate(options.lr, step, totalSteps, schedule);
      await policy.optimizer.step({ lr, maxGradNorm: options.maxGradNorm });
      lossSum += loss * learnt;
      count += learnt;
      progress(++step, totalSteps);
      if (step % stepsPerEpoch === 0) {
        const nll = lossSum / count;
        const figures = { 'losses/nll': nll, 'losses/perplexity': Math.exp(nll), 'optim/steps': step, tokens: count };
        await onEpoch(epoch, figures);
        lossSum = count = 0;
      }
      if ((await afterStep?.({ step, lossSum, count })) === false) return false;
    }
  }
  return true;
}

/** Tokens that a conversation is scored on; its first one is predicted from nothing. */
export const learntTokens = ({ lossMask }: EncodedConversation): number =>
  lossMask.reduce((sum, mask, i) => sum + (i > 0 ? mask : 0), 0);

/** Each token predicts the next one. */
export function conversationExample({ ids, lossMask }: EncodedConversation, weight: number): TokenExample {
  return {
    ids: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    weights: Float32Array.from(lossMask.slice(1), (mask) => mask * weight),
  };
}
