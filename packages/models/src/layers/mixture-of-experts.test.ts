import { checkGradients, GraphBuilder, openDevice, type GradientSample, type Value } from '@bowyer/graph';
import { mixtureOfExperts, route, type RouterForm } from './mixture-of-experts.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const [WIDTH, INNER, EXPERTS] = [3, 2, 6];

/** Makes spread-out numbers without ties. */
const numbers = (length: number, phase: number) =>
  Float32Array.from({ length }, (_, i) => Math.sin(2.7 * i + phase) + 0.01 * i);

const forms: Record<string, (bias: Value) => RouterForm> = {
  'softmax, not normalized': () => ({ scores: 'softmax', choices: 2 }),
  'softmax, normalized': () => ({ scores: 'softmax', choices: 2, normalize: { epsilon: 0 } }),
  'softmax of the chosen': () => ({ scores: 'softmax-of-chosen', choices: 3 }),
  'sigmoid with a bias': (choiceBias) => ({ scores: 'sigmoid', choices: 2, choiceBias, normalize: { epsilon: 1e-6 } }),
  'sigmoid within groups': (choiceBias) => ({
    scores: 'sigmoid',
    choices: 2,
    choiceBias,
    scale: 2.5,
    normalize: { epsilon: 1e-20 },
    groups: { count: 3, chosen: 1 },
  }),
};

/** Computes every expert for every row in float64, weighted by the router's rules as in the papers. */
function plainMixture(inputs: Record<string, Float32Array>, form: RouterForm, bias: Float32Array): number[] {
  const { x, logits, gate, up, down } = inputs;
  const rows = x.length / WIDTH;
  return Array.from({ length: rows }, (_, row) => {
    const own = [...logits.subarray(row * EXPERTS, (row + 1) * EXPERTS)];
    const weights = plainWeights(own, form, bias);
    const result = new Array<number>(WIDTH).fill(0);
    weights.forEach((weight, e) => {
      const product = (w: Float32Array, i: number) =>
        Array.from({ length: WIDTH }, (_, j) => w[(e * INNER + i) * WIDTH + j] * x[row * WIDTH + j]).reduce(
          (a, b) => a + b,
        );
      for (let i = 0; i < INNER; i++) {
        const [a, b] = [product(gate, i), product(up, i)];
        const inner = (a / (1 + Math.exp(-a))) * b;
        for (let j = 0; j < WIDTH; j++) result[j] += weight * down[(e * WIDTH + j) * INNER + i] * inner;
      }
    });
    return result;
  }).flat();
}

function plainWeights(
  logits: number[],
  { scores, choices, normalize, scale = 1, groups }: RouterForm,
  bias: Float32Array,
) {
  const largest = (keys: number[], count: number) =>
    keys
      .map((_, i) => i)
      .sort((a, b) => keys[b] - keys[a])
      .slice(0, count);
  if (scores === 'softmax-of-chosen') {
    const chosen = largest(logits, choices);
    const sum = chosen.reduce((total, i) => total + Math.exp(logits[i]), 0);
    return logits.map((z, i) => (chosen.includes(i) ? Math.exp(z) / sum : 0));
  }
  const total = logits.reduce((sum, z) => sum + Math.exp(z), 0);
  const own = logits.map((z) => (scores === 'sigmoid' ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / total));
  let keys = own.map((score, i) => score + (scores === 'sigmoid' ? bias[i] : 0));
  if (groups) {
    const size = EXPERTS / groups.count;
    const groupOf = (i: number) => Math.floor(i / size);
    const sums = Array.from({ length: groups.count }, (_, group) =>
      keys
        .filter((_, i) => groupOf(i) === group)
        .sort((a, b) => b - a)
        .slice(0, 2)
        .reduce((a, b) => a + b),
    );
    const kept = largest(sums, groups.chosen);
    keys = keys.map((key, i) => (kept.includes(groupOf(i)) ? key : -Infinity));
  }
  const chosen = largest(keys, choices);
  const sum = normalize ? chosen.reduce((t, i) => t + own[i], normalize.epsilon) : 1;
  return own.map((score, i) => (chosen.includes(i) ? (scale * score) / sum : 0));
}

const bias = numbers(EXPERTS, 4.5).map((b) => 0.3 * b);

function sampleOf(form: (bias: Value) => RouterForm, rows: number): GradientSample {
  const weights = (phase: number, [outputs, inputs]: number[]) => ({
    shape: [EXPERTS, outputs, inputs],
    dims: [EXPERTS, outputs, inputs],
    data: numbers(EXPERTS * outputs * inputs, phase),
  });
  return {
    inputs: {
      x: { shape: ['rows', WIDTH], dims: [rows, WIDTH], data: numbers(rows * WIDTH, 0.3) },
      logits: { shape: ['rows', EXPERTS], dims: [rows, EXPERTS], data: numbers(rows * EXPERTS, 1.1) },
      gate: weights(0.7, [INNER, WIDTH]),
      up: weights(1.9, [INNER, WIDTH]),
      down: weights(2.3, [WIDTH, INNER]),
    },
    build: (g: GraphBuilder, { x, logits, gate, up, down }) => {
      const [gates, ups, downs] = [gate, up, down].map((w) => g.split(w, 0, EXPERTS).map((part) => g.squeeze(part, 0)));
      const product = (rows: Value, weight: Value) => g.gemm(rows, weight, undefined, { transB: true });
      const routing = route(g, logits, form(g.constant(bias, [EXPERTS])));
      return mixtureOfExperts(g, x, routing, {
        count: EXPERTS,
        project: (expert, part) => [product(part, gates[expert]), product(part, ups[expert])],
        activate: ([a, b]) => g.mul(g.silu(a), b),
        output: (expert, part) => product(part, downs[expert]),
      });
    },
  };
}

describe.each(Object.keys(forms))('%s', (name) => {
  // With one row most experts have no rows.
  test.each([1, 5])('sorted rows = every expert over every row, %i rows', async (rows) => {
    const sample = sampleOf(forms[name], rows);
    const g = new GraphBuilder('mixture');
    const inputs = Object.fromEntries(
      Object.entries(sample.inputs).map(([key, { shape }]) => [key, g.input(key, 'float32', shape)]),
    );
    g.output('y', sample.build(g, inputs) as Value);
    const program = await device.compile(g);
    const { y } = await program.run({ inputs: sample.inputs });
    const data = Object.fromEntries(
      Object.entries(sample.inputs).map(([key, { data }]) => [key, data as Float32Array]),
    );
    const expected = plainMixture(data, forms[name](undefined as never), bias);
    expected.forEach((value, i) => expect(y.data[i]).toBeCloseTo(value, 4));
    await program.release();
  });

  test('its gradient agrees with central differences', async () => {
    for (const { error, ...comparison } of await checkGradients(device, sampleOf(forms[name], 3), { step: 1e-3 }))
      expect(error < 5e-3 ? 'agrees' : { error, ...comparison }).toBe('agrees');
  });
});
