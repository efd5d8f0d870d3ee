// Tests the critics on a GPU with ONNX Runtime's WebGPU provider: gradients, Adam and Polyak stay there and give the CPU's numbers.
// Without a GPU: apt-get install chromium-common, VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json
import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Precision } from '@bowyer/graph';
import { newFolder, when } from '@bowyer/testing';
import { DoubleCritic } from '../src/critic/double-critic.js';
import { LineEncoder } from '../src/critic/line-encoder.js';
import { TransformerEncoder } from '../src/critic/transformer-encoder.js';
import { wordLevelTokenizer } from '@bowyer/text';

const tokenizer = wordLevelTokenizer(['Questions:\nis it a dog? is it a cat?'], { wholeTokens: [' Yes.\n', ' No.\n'] });
const observations = [
  'Questions:\n',
  'Questions:\nis it a dog? Yes.\n',
  'Questions:\nis it a cat? No.\nis it a dog? Yes.\n',
];
const actions = ['is it a dog?', 'is it a cat?', 'is it a dog?'];
const targets = Float32Array.of(0, -1, -2);
const batch = { observations, actions, q1Targets: targets, q2Targets: targets, v1Targets: targets, v2Targets: targets };

const encoders = {
  line: () => new LineEncoder(tokenizer, 16),
  transformer: () =>
    new TransformerEncoder({
      config: {
        modelType: 'bert',
        vocabSize: tokenizer.vocabSize,
        hiddenSize: 16,
        numLayers: 2,
        numHeads: 4,
        intermediateSize: 24,
        maxPositions: 64,
        typeVocabSize: 2,
        layerNormEps: 1e-12,
        padTokenId: 0,
        activation: 'gelu',
      },
      tokenizer,
      stateFeature: 'pooler',
      maxLength: 64,
      batchTokens: 256,
    }),
};

/**
 * Makes five optimizer and Polyak steps, and on the way saves the critic and restores it into another. Returns the values of both
 * networks.
 */
async function train(
  kind: 'cpu' | 'webgpu',
  encoder: keyof typeof encoders,
  { precision, seed = 0 }: { precision?: Precision; seed?: number } = {},
) {
  const gpuBuffers = kind === 'webgpu' ? 'exact' : 'bucket'; // exact ones pad the batches
  const device = await openDevice({ device: kind, threads: 2, precision, gpuBuffers });
  const dir = newFolder();
  try {
    const optimizer = { kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 } as const;
    const newCritic = (seed: number) =>
      DoubleCritic.create({ device, encoder: encoders[encoder](), rng: new Rng(seed), outputBias: -1, optimizer });
    let critic = await newCritic(seed);
    for (let step = 0; step < 5; step++) {
      if (step === 2 && kind === 'webgpu') {
        await critic.save(dir);
        critic = await newCritic(seed + 1);
        await critic.restore(dir);
      }
      // In float16 a step that overflows is skipped until the loss scale is small enough.
      while (critic.optimizer.steps === step) {
        await critic.accumulateGradients(batch);
        await critic.optimizer.step({ lr: 1e-2, maxGradNorm: 1 });
      }
      await critic.polyak(0.1);
    }
    const online = await critic.evaluate(observations, actions, 'online');
    const target = await critic.evaluate(observations, actions, 'target');
    return [online, target].flatMap(({ q1, q2, v1, v2 }) => [...q1, ...q2, ...v1, ...v2]);
  } finally {
    await device.close();
  }
}

when(await webgpuAvailable(), 'no WebGPU adapter').test.each(['line', 'transformer'] as const)(
  'the %s critic trains on webgpu as on the CPU, saved and restored there',
  async (encoder) => {
    const [cpu, webgpu] = [await train('cpu', encoder), await train('webgpu', encoder)];
    webgpu.forEach((value, i) => expect(value).toBeCloseTo(cpu[i], 4));
  },
);

when(await webgpuAvailable('float16'), 'no GPU with float16 in shaders').test(
  'in float16 the transformer critic trains to the same values but for their rounding',
  async () => {
    // With seed 0 the input of a head's ReLU is so near 0 that rounding changes its sign.
    const seed = 1;
    const [cpu, webgpu] = [
      await train('cpu', 'transformer', { seed }),
      await train('webgpu', 'transformer', { seed, precision: 'float16' }),
    ];
    webgpu.forEach((value, i) => expect(Math.abs(value - cpu[i])).toBeLessThan(2e-2));
  },
);
