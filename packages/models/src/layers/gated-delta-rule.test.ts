import { checkGradients, GraphBuilder, openDevice, type GradientSample, type Value } from '@bowyer/graph';
import { deltaChunks, type DeltaInputs } from './gated-delta-rule.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const [KEY, VALUE] = [3, 2];

const numbers = (length: number, phase: number) =>
  Float32Array.from({ length }, (_, i) => Math.sin(2.7 * i + phase) + 0.01 * i);

function inputsOf(batch: number, tokens: number): GradientSample['inputs'] {
  const tensor = (rest: number[], phase: number, map = (x: number) => x) => {
    const dims = [batch, tokens, ...rest];
    return {
      shape: ['batch', 'tokens', ...rest],
      dims,
      data: numbers(
        dims.reduce((a, b) => a * b),
        phase,
      ).map(map),
    };
  };
  const state = [batch, KEY, VALUE];
  return {
    query: tensor([KEY], 0.2),
    key: tensor([KEY], 1.4, (x) => 0.6 * x),
    value: tensor([VALUE], 2.6),
    logDecay: tensor([], 0.9, (x) => -0.4 * Math.abs(x)),
    beta: tensor([], 2.2, (x) => 1 / (1 + Math.exp(-x))),
    state: { shape: ['batch', KEY, VALUE], dims: state, data: numbers(batch * KEY * VALUE, 3.1) },
  };
}

/** Computes the rule token by token, in float64. */
function plain(inputs: GradientSample['inputs'], batch: number, tokens: number) {
  const at = (name: string, index: number) => inputs[name].data[index] as number;
  const output: number[] = [];
  const states: number[] = [];
  for (let b = 0; b < batch; b++) {
    const s = Array.from({ length: KEY }, (_, i) =>
      Array.from({ length: VALUE }, (_, j) => at('state', (b * KEY + i) * VALUE + j)),
    );
    for (let t = 0; t < tokens; t++) {
      const row = b * tokens + t;
      const alpha = Math.exp(at('logDecay', row));
      const [k, q] = ['key', 'query'].map((name) => Array.from({ length: KEY }, (_, i) => at(name, row * KEY + i)));
      for (let j = 0; j < VALUE; j++) {
        const read = k.reduce((sum, x, i) => sum + x * alpha * s[i][j], 0);
        const written = at('beta', row) * (at('value', row * VALUE + j) - read);
        for (let i = 0; i < KEY; i++) s[i][j] = alpha * s[i][j] + k[i] * written;
        output.push(q.reduce((sum, x, i) => sum + x * s[i][j], 0));
      }
    }
    states.push(...s.flat());
  }
  return { output, states };
}

const build = (size: number) => (g: GraphBuilder, x: Readonly<Record<string, Value>>) => {
  const { output, state } = deltaChunks(g, x as unknown as DeltaInputs, size);
  return [g.reshape(output, [-1]), g.reshape(state, [-1])];
};

test.each([
  [1, 4],
  [4, 4],
  [11, 4],
  [11, 8],
])('chunks = token by token: %i tokens in chunks of %i', async (tokens, size) => {
  const inputs = inputsOf(2, tokens);
  const g = new GraphBuilder('delta');
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, { shape }]) => [name, g.input(name, 'float32', shape)]),
  );
  const [output, state] = build(size)(g, values);
  g.output('y', output);
  g.output('s', state);
  const program = await device.compile(g);
  const { y, s } = await program.run({ inputs });
  const expected = plain(inputs, 2, tokens);
  expected.output.forEach((value, i) => expect(y.data[i]).toBeCloseTo(value, 4));
  expected.states.forEach((value, i) => expect(s.data[i]).toBeCloseTo(value, 4));
  await program.release();
});

test('the gradient over three chunks agrees with central differences', async () => {
  const comparisons = await checkGradients(device, { inputs: inputsOf(1, 5), build: build(2) }, { step: 1e-2 });
  expect(comparisons.map(({ input }) => input).sort()).toEqual(['beta', 'key', 'logDecay', 'query', 'state', 'value']);
  for (const { error, ...comparison } of comparisons)
    expect(error < 2e-3 ? 'agrees' : { error, ...comparison }).toBe('agrees');
});

test('equal keys and full strength, where powers of the overlap would explode, stay exact', async () => {
  const inputs = inputsOf(1, 64);
  for (const name of ['beta', 'logDecay']) inputs[name].data.fill((name === 'beta' ? 1 : 0) as never);
  inputs.key.data.fill(Math.sqrt(1 / KEY) as never);
  const g = new GraphBuilder('delta');
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, { shape }]) => [name, g.input(name, 'float32', shape)]),
  );
  g.output('y', build(64)(g, values)[0]);
  const program = await device.compile(g);
  const { y } = await program.run({ inputs });
  plain(inputs, 1, 64).output.forEach((value, i) => expect(y.data[i]).toBeCloseTo(value, 4));
  await program.release();
});
