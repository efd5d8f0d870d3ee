// Tests the gradient of a head's product: a few large numbers beside thousands of small ones.
import { Rng } from '@bowyer/core';
import { GraphBuilder, gradients, openDevice } from '@bowyer/graph';
import { wordLevelTokenizer } from '@bowyer/text';
import { LanguageModel } from '../language-model/language-model.js';
import { trainingIntegers, trainingProduct } from './integer-training.js';
import { dequantize, quantize } from './quantized-weight.js';

const { exp, hypot } = Math; // Jest looks globals up slowly
const [ROWS, VOCABULARY, WIDTH] = [6, 5003, 64]; // the vocabulary is not a multiple of 32, the length of a run
const rng = new Rng(8);

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/** The rows of a head have a common part, so that the sum over the tail of a distribution is not zero. */
const common = Float32Array.from({ length: WIDTH }, () => 0.1 * rng.normal());
const values = Float32Array.from({ length: VOCABULARY * WIDTH }, (_, i) => common[i % WIDTH] + 0.1 * rng.normal());
const weight = quantize(values, [VOCABULARY, WIDTH], { bits: 8, blockSize: 64 });
const plain = dequantize(weight);

/** p − onehot, with probabilities that follow Zipf's law. */
const upstream = new Float32Array(ROWS * VOCABULARY);
for (let row = 0; row < ROWS; row++) {
  const sizes = Float64Array.from({ length: VOCABULARY }, (_, i) => exp(1.5 * rng.normal()) / (i + 1));
  const sum = sizes.reduce((a, b) => a + b, 0);
  const order = rng.shuffle(Array.from({ length: VOCABULARY }, (_, i) => i));
  order.forEach((at, i) => (upstream[row * VOCABULARY + at] = sizes[i] / sum));
  upstream[row * VOCABULARY + order[rng.integer(0, 20)]] -= 1;
}

const wanted = Float64Array.from({ length: ROWS * WIDTH }, (_, at) => {
  const [row, column] = [Math.floor(at / WIDTH), at % WIDTH];
  let sum = 0;
  for (let i = 0; i < VOCABULARY; i++) sum += upstream[row * VOCABULARY + i] * plain[i * WIDTH + column];
  return sum;
});

/** Computes the error of the gradient by the hidden rows, relative to the length of the exact gradient. */
async function errorOf(hasExact: boolean): Promise<number> {
  const integers = await trainingIntegers(device, new Map([['head', weight]]));
  const g = new GraphBuilder('head');
  const x = g.input('x', 'float32', ['rows', WIDTH]);
  const float = g.initializer('float', plain, [VOCABULARY, WIDTH]);
  const options = hasExact ? { exact: () => float } : {};
  const logits = trainingProduct(g, x, 'head', integers.get('head')!, options);
  g.output('dx', gradients(g, logits, [x], { upstream: g.input('dy', 'float32', ['rows', VOCABULARY]) })[0]);
  const program = await device.compile(g);
  const { dx } = await program.run({
    inputs: {
      x: { dims: [ROWS, WIDTH], data: new Float32Array(ROWS * WIDTH).fill(1) },
      dy: { dims: [ROWS, VOCABULARY], data: upstream },
    },
  });
  await program.release();
  return hypot(...wanted.map((value, i) => value - Number(dx.data[i]))) / hypot(...wanted);
}

test('the largest numbers of each row are multiplied in float32, so that the small ones are not rounded to 0', async () => {
  expect(await errorOf(false)).toBeGreaterThan(0.05);
  expect(await errorOf(true)).toBeLessThan(0.01);
});

test('a batch with fewer scored tokens than a chunk is learned from with integers and gradient checkpointing', async () => {
  const words = Array.from({ length: 60 }, (_, i) => `w${i}`).join(' ');
  const model = await LanguageModel.create({
    device,
    config: {
      model_type: 'llama',
      hidden_size: 64,
      intermediate_size: 64,
      num_hidden_layers: 1,
      num_attention_heads: 2,
    },
    tokenizer: wordLevelTokenizer([words], { minCount: 1 }),
    rng: new Rng(3),
    quantization: '4bit',
    gradientCheckpointing: true,
    lora: { r: 2, alpha: 4, dropout: 0, targetModules: 'all-linear', seed: 1, integerProducts: true },
  });
  await model.createOptimizer({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
  const ids = Int32Array.of(5, 6, 7, 8);
  const { loss } = await model.accumulateGradients([{ ids, targets: ids, weights: new Float32Array(4).fill(0.25) }]);
  expect(loss).toBeGreaterThan(1);
  await model.release();
});
