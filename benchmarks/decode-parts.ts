// Times the parts of a decoding step of GPT-2 on tensors of its sizes, and products of the same shapes that read nothing from
// memory.
import { GraphBuilder, type Device, type Program } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import { milliseconds } from './measure.js';

type Bound = Awaited<ReturnType<Program['bind']>>;
type Timed = () => Promise<number>;

/** Milliseconds of each part, with the weights as left operand as in steps of 16 and 32 rows. */
interface DecodeParts {
  layers: Timed;
  head: Timed;
  attention: Timed;
  sampling: Timed;
}

/**
 * Measures the parts of a decoding step.
 *
 * @param positions tokens in the cache of each row
 */
export async function decodeParts(
  device: Device,
  model: LanguageModel,
  rows: number,
  positions: number,
): Promise<DecodeParts> {
  const matrices = model.architecture.parameters.filter(({ shape }) => shape.length === 2 && shape[0] !== 1024);
  const [head, others] = [true, false].map((isHead) =>
    matrices.filter(({ shape }) => (shape[0] === model.architecture.vocabSize) === isHead),
  );
  return {
    layers: timed(await products(device, model, others, rows)),
    head: timed(await products(device, model, head, rows)),
    attention: timed(await attention(device, model, rows, positions)),
    sampling: timed(await sampling(device, model.architecture.vocabSize, rows)),
  };
}

/** Measures GFLOP/s of [n, width] × [width, rows], where the weights, 0.75 MiB, stay in each core's cache. */
export async function cachedProductRate(device: Device, rows: number, width: number): Promise<Timed> {
  const [columns, repeats] = [256, 512];
  const g = new GraphBuilder('cached_products');
  const [w, x] = [g.input('w', 'float32', [columns, width]), g.input('x', 'float32', [repeats, width, rows])];
  g.output('largest', g.reduceMax(g.matMul(w, x)));
  const state = await device.createState({ w: ramp([columns, width]), x: ramp([repeats, width, rows]) });
  const bound = await (await device.compile(g)).bind({ state: { w: [state, 'w'], x: [state, 'x'] } });
  const time = timed(bound);
  await time();
  return async () => (2 * columns * width * rows * repeats) / (await time()) / 1e6;
}

const timed = (bound: Bound) => () => milliseconds(() => bound.run());

const ramp = (shape: number[]) => ({
  shape,
  data: new Float32Array(shape.reduce((a, b) => a * b)).map((_, i) => ((i % 17) - 8) / 16),
});

/** Multiplies all matrices [out, in] by rows, in one run. */
async function products(
  device: Device,
  { parameters }: LanguageModel,
  matrices: LanguageModel['architecture']['parameters'],
  rows: number,
): Promise<Bound> {
  const g = new GraphBuilder('products');
  const widths = [...new Set(matrices.map(({ shape }) => shape[1]))];
  const x = new Map(widths.map((width) => [width, g.input(`x${width}`, 'float32', [rows, width])]));
  const largest = matrices.map(({ name, shape }) => {
    const product = g.fusedMatMul(g.input(name, 'float32', [...shape]), x.get(shape[1])!, { transB: true });
    return g.reshape(g.reduceMax(product), [1]);
  });
  g.output('largest', g.concat(largest, 0));
  const state = await device.createState(Object.fromEntries(widths.map((width) => [`x${width}`, ramp([rows, width])])));
  return (await device.compile(g)).bind({
    state: Object.fromEntries([
      ...matrices.map(({ name }) => [name, [parameters, name] as const]),
      ...widths.map((width) => [`x${width}`, [state, `x${width}`] as const]),
    ]),
  });
}

/** Computes attention of one query per row and head over different keys and values in each layer. */
async function attention(device: Device, { architecture }: LanguageModel, rows: number, positions: number) {
  const { layers, heads, headSize } = architecture;
  const g = new GraphBuilder('attention');
  const names = Array.from({ length: layers }, (_, layer) => [`key.${layer}`, `value.${layer}`]);
  const shape = [rows, heads, positions, headSize];
  const query = g.input('query', 'float32', [rows, heads, 1, headSize]);
  const mixed = names.map(([key, value]) => {
    const [k, v] = [key, value].map((name) => g.input(name, 'float32', shape));
    const scores = g.fusedMatMul(query, k, { transB: true });
    return g.reshape(g.reduceMax(g.matMul(g.softmax(scores), v)), [1]);
  });
  g.output('largest', g.concat(mixed, 0));
  const tensors = Object.fromEntries(names.flat().map((name) => [name, ramp(shape)]));
  const state = await device.createState({ ...tensors, query: ramp([rows, heads, 1, headSize]) });
  const wired = [...Object.keys(tensors), 'query'].map((name) => [name, [state, name] as const]);
  return (await device.compile(g)).bind({ state: Object.fromEntries(wired) });
}

/** Finds the most likely token and its log-probability. */
async function sampling(device: Device, vocabSize: number, rows: number): Promise<Bound> {
  const g = new GraphBuilder('sampling');
  const logits = g.input('logits', 'float32', [rows, vocabSize]);
  const best = g.reduceMax(logits, { axes: [-1], keepdims: true });
  const sum = g.reduceSum(g.exp(g.sub(logits, best)), { axes: [-1], keepdims: true });
  g.output('tokens', g.argMax(logits, -1));
  g.output('logprobs', g.neg(g.log(sum)));
  const state = await device.createState({ logits: ramp([rows, vocabSize]) });
  return (await device.compile(g)).bind({ state: { logits: [state, 'logits'] } });
}
