// Tests that sampler and trainer are compared in every rollout, and that a sampler with other weights than the trained ones is
// reported.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { Diagnostics, trainingRun, type DiagnosticsOptions, type Metrics } from '../index.js';
import { onlineFilteredBc } from '../imitation/online-filtered-bc.js';
import { EchoGame, maskedTokenIds, terminatorId, tokenizer } from '../../test/echo-game.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const lora = { r: 2, alpha: 4, dropout: 0, targetModules: null, seed: 3 };

async function makePolicy(useLora: boolean): Promise<LanguageModel> {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
  const policy = await LanguageModel.create({
    device,
    tokenizer,
    maskedTokenIds,
    config,
    rng: new Rng(0),
    ...(useLora && { lora }),
  });
  await policy.createOptimizer(adam);
  return policy;
}

const bound: DiagnosticsOptions = { seed: 0, turns: 16, maxLogprobMismatch: 1e-5, klToStart: true };
const sampling = { temperature: 0.8, topK: 3, topP: 1, greedy: false, maxNewTokens: 2, terminatorIds: [terminatorId] };
const options = {
  seed: 0,
  slots: 16,
  sampling,
  iterations: 3,
  rollout: { size: 16 },
  eval: { freq: 9 },
  saveFreq: 9,
  batch: { size: 16, accumulationSteps: 1, reduction: 'mean' },
  actor: { lr: 1e-2, steps: 2, warmupIterations: 0 },
  filter: { quantile: 0.5 },
};

/** Trains a few iterations. `iterations`: a single one is checked after its update, three are checked in the next rollouts. */
async function logged(
  useLora: boolean,
  change = (policy: LanguageModel) => policy,
  iterations = 3,
): Promise<Metrics[]> {
  const policy = change(await makePolicy(useLora));
  const lines: Metrics[] = [];
  const run = trainingRun({ policy, makeEnv: () => new EchoGame() });
  const diagnostics = new Diagnostics(
    run,
    bound,
    iterations === 1 ? { openPlayer: (slots) => onlineFilteredBc.openPlayer(run, { slots }), sampling } : null,
  );
  const log = async (_: number, metrics: Metrics) =>
    void lines.push({ ...metrics, ...(await diagnostics.afterUpdate()) });
  const onRollout = diagnostics.onRollout.bind(diagnostics);
  try {
    await onlineFilteredBc.train({ ...run, onRollout, hooks: { ...run.hooks, log } }, {
      ...options,
      iterations,
    } as never);
  } finally {
    await diagnostics.release();
  }
  return lines;
}

test.each([false, true])(
  'a token has the same log-probability to sampler and trainer (adapters: %s)',
  async (useLora) => {
    const lines = await logged(useLora);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line['diagnostics/logprob_mismatch']).toBeLessThan(1e-5);
      expect(line['diagnostics/kl_sampling']).toBeGreaterThan(1e-6); // each update moves the policy
    }
    expect(lines[0]['diagnostics/kl_to_start']).toBeLessThan(1e-9);
    expect(lines[2]['diagnostics/kl_to_start']).toBeGreaterThan(1e-6);
  },
);

/** Returns the policy with a player that always has the initial weights (or the initial adapter). */
function withStaleSampler(policy: LanguageModel, sampler: LanguageModel): LanguageModel {
  return new Proxy(policy, {
    get(target, key) {
      const owner = key === 'openEpisodes' ? sampler : target;
      const value = Reflect.get(owner, key, owner) as unknown;
      return typeof value === 'function' ? (value.bind(owner) as unknown) : value;
    },
  });
}

test.each([false, true])('the last update is checked too (adapters: %s)', async (useLora) => {
  const [line] = await logged(useLora, undefined, 1);
  expect(line['diagnostics/updated_logprob_mismatch']).toBeGreaterThan(0);
  expect(line['diagnostics/updated_logprob_mismatch']).toBeLessThan(1e-5);
  const sampler = await makePolicy(useLora);
  await expect(logged(useLora, (policy) => withStaleSampler(policy, sampler), 1)).rejects.toThrow(
    /^sampler and trainer are not the same policy: the log-probability of token \d in turn \d of episode (\d|1[0-5]) was /,
  );
});

test.each([false, true])('a sampler that never gets the new weights stops the run (adapters: %s)', async (useLora) => {
  const sampler = await makePolicy(useLora);
  await expect(logged(useLora, (policy) => withStaleSampler(policy, sampler))).rejects.toThrow(
    /^sampler and trainer are not the same policy: the log-probability of token \d in turn \d of episode (1[6-9]|2\d|3[01]) was -\d\.\d{6} when it was sampled and is -\d\.\d{6} to the trainer\n {2}the difference [\d.]+ is more than diagnostics\.max_logprob_mismatch=0\.00001;/,
  );
});
