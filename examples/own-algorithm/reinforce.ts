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
import {
  collect,
  defineAlgorithm,
  evalDecodingKey,
  evaluate,
  loopKeys,
  policyPlayer,
  registerAlgorithm,
  rolloutMetrics,
  tokenExamples,
} from '@bowyer/algorithms';
import { discountedReturns, mean, monteCarloAdvantages, rate, share, Type } from '@bowyer/core';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    gamma: share('discount per turn'),
    baseline_decay: share('share of the baseline that an iteration keeps'),
    lm_lr: rate('learning rate of the policy'),
    max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  },
  { additionalProperties: false },
);

registerAlgorithm(
  defineAlgorithm({
    name: 'reinforce',
    description: 'REINFORCE with a running mean of the returns as its baseline',
    options,
    needs: { critic: null, source: 'episodes' },
    trainsPolicy: true,
    playerOptions: [],
    openPlayer: policyPlayer,

    async train(run, options) {
      const { policy, hooks } = run;
      const openPlayer = policyPlayer(run, options);
      // Saved with every checkpoint, so that a resumed run continues with it.
      const state = run.state as { baseline?: number };

      for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
        const rollout = await collect(run, openPlayer, iteration, options);

        // Returns of all turns, and the baseline that they are compared with.
        const returns = rollout.map(({ transitions }) =>
          discountedReturns(
            transitions.map(({ reward }) => reward),
            options.gamma,
          ),
        );
        const meanReturn = mean(returns.flat());
        const baseline = (state.baseline ??= meanReturn);
        state.baseline = options.baselineDecay * baseline + (1 - options.baselineDecay) * meanReturn;

        // One optimizer step: the weight of an utterance's log-probability is its advantage.
        const turns = returns.flat().length;
        const utterances = rollout.flatMap((trajectory, i) => {
          const advantages = monteCarloAdvantages(returns[i], new Float32Array(returns[i].length).fill(baseline));
          return [...advantages].map((advantage, turn) => ({ trajectory, turn, weight: advantage / turns }));
        });
        const { loss } = await policy.accumulateGradients(tokenExamples(utterances, { scoreTerminator: true }));
        const { gradientNorm } = await policy.optimizer.step({ lr: options.lmLr, maxGradNorm: options.maxGradNorm });

        const metrics = {
          ...rolloutMetrics(rollout),
          'losses/policy': loss,
          'train/baseline': baseline,
          'optim/policy_gradient_norm': gradientNorm,
        };
        if ((iteration + 1) % options.evalFreq === 0) {
          const evaluation = await evaluate(run, openPlayer, options);
          Object.assign(metrics, evaluation.metrics);
          await hooks.keepBest(iteration, evaluation.metrics['eval/episodic_return']);
        }
        await hooks.log(iteration, metrics, rollout);
        if ((iteration + 1) % options.saveFreq === 0 || hooks.stopRequested) await hooks.checkpoint(iteration + 1);
      }
    },
  }),
);
