// An algorithm has the same losses on a GPU as on the CPU. Training to the end takes a minute on a GPU in software, so it is not
// tested at each change: see docs/devices.md.
import { openDevice, webgpuAvailable } from '@bowyer/graph';
import { when } from '@bowyer/testing';
import { LanguageModel } from '@bowyer/models';
import { Rng } from '@bowyer/core';
import { bc, demonstrationTrajectory, trainingRun } from '../src/index.js';
import { colours, maskedTokenIds, terminatorId, tokenizer } from './echo-game.js';

/** Loss of each epoch of behaviour cloning from twenty games. */
async function losses(kind: 'cpu' | 'webgpu'): Promise<number[]> {
  const device = await openDevice({ device: kind, threads: 1 });
  try {
    const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
    const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(0) });
    await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-6, weightDecay: 0 });
    const demonstrations = Array.from({ length: 20 }, (_, i) => {
      const colour = colours[i % colours.length];
      return { opening: `show ${colour}\n`, turns: [{ action: colour, reply: ' yes\n' }] };
    });
    const episodes = demonstrations.map((demonstration, episode) =>
      demonstrationTrajectory(demonstration, { tokenizer, terminatorId, episode }),
    );
    const found: number[] = [];
    await bc.train(
      trainingRun({
        policy,
        dataset: { kind: 'episodes', episodes },
        hooks: { log: async (_, metrics) => void found.push(metrics['losses/nll']) },
      }),
      {
        ...{ seed: 0, slots: 1, epochs: 6, batchSize: 20, lmLr: 1e-2, maxGradNorm: 1, scoreTerminator: true },
        ...{
          gradAccumSteps: 1,
          dropout: false,
          observationWeight: 0,
          validationShare: 0,
          evalFreq: 1,
          evalSize: 0,
          evalDecoding: 'sample' as const,
        },
        lmSchedule: { kind: 'linear', warmupSteps: 2, finalShare: 0.1 },
        sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] },
      },
    );
    return found;
  } finally {
    await device.close();
  }
}

when(await webgpuAvailable(), 'no WebGPU adapter').test('bc: the same losses, epoch by epoch', async () => {
  const [cpu, gpu] = [await losses('cpu'), await losses('webgpu')];
  expect(cpu.at(-1)!).toBeLessThan(0.9 * cpu[0]);
  gpu.forEach((loss, epoch) => expect(Math.abs(loss - cpu[epoch])).toBeLessThan(1e-2));
});
