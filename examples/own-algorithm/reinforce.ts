// REINFORCE with the mean return as its baseline: an algorithm of your own.
// From the root of a clone, or beside it in a copy of this folder (`npx bowyer` elsewhere asks the registry for another package):
//
//     npx bowyer --config-dir examples/own-algorithm --config-name reinforce_20q
//     npx --prefix ../bowyer bowyer --config-dir . --config-name reinforce_20q
//
//     G_t = Σ_{k≥t} γ^{k−t} r_k        L = −mean over turns of (G_t − b) Σ_i log π(a_t,i | s_t, a_t,<i)
//
// b is a running mean of the returns of all turns, so it does not depend on the action.
// Source: Williams 1992, "Simple statistical gradient-following algorithms for connectionist reinforcement learning".
import * as algorithms from '@bowyer/algorithms';
import { discountedReturns, fraction, mean, positive, unitOptions } from '@bowyer/core';

const options = unitOptions({
  ...algorithms.loopOptions({ iterations: 100, rolloutSize: 64, every: 10, evalSize: 128, decoding: 'sample' }),
  gamma: algorithms.gammaOption(0.95),
  baseline_decay: fraction(0.9, 'share of the baseline that an iteration keeps'),
  lr: positive(1e-4, 'learning rate of the policy', { flat: 'lm_lr' }),
  max_grad_norm: positive(1, 'upper bound of the global norm of the policy gradient'),
});

const reinforce = algorithms.defineAlgorithm({
  name: 'reinforce',
  description: 'REINFORCE with a running mean of the returns as its baseline',
  options,
  async train(run, { gamma, baselineDecay, lr, maxGradNorm }) {
    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration);

      // The returns of all turns, and the baseline, which is saved with every checkpoint.
      const rewards = rollout.map(({ transitions }) => transitions.map(({ reward }) => reward));
      const returns = rewards.map((own) => discountedReturns(own, gamma));
      const meanReturn = mean(returns.flat());
      const baseline = (run.state.baseline ??= meanReturn) as number;
      run.state.baseline = baselineDecay * baseline + (1 - baselineDecay) * meanReturn;

      // One optimizer step: the weight of an utterance's log-probability is its advantage.
      const turns = returns.flat().length;
      const utterances = rollout.flatMap((trajectory, i) =>
        returns[i].map((value, turn) => ({ trajectory, turn, weight: (value - baseline) / turns })),
      );
      const policyLoss = async (batch: typeof utterances) => {
        const { examples } = algorithms.packTurns(batch, { scoreTerminator: true });
        return { 'losses/policy': (await run.policy.accumulateGradients(examples)).loss };
      };
      const learned = await run.step([utterances], policyLoss, { lr, maxGradNorm });

      const metrics = { ...algorithms.rolloutMetrics(rollout), ...learned, 'train/baseline': baseline };
      await run.endIteration(iteration, metrics, rollout);
    }
  },
});

algorithms.registerAlgorithm(reinforce);
