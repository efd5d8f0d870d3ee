// transformers' results for each kind of scaling are compared in test/reference-checkpoints.test.ts, decoder-fields and families.
import { checkGradients, GraphBuilder, openDevice } from '@bowyer/graph';
import { rotaryTables, rotateHeads } from './rotary-embedding.js';
import { rotaryFrequencies } from './rotary-frequencies.js';

const frequenciesOf = (json: Record<string, unknown>, rotaryDims = 4) =>
  rotaryFrequencies('llama', json, { rotaryDims, defaultBase: 10000, trainedLength: 64 });

test('dynamic: nothing changes within the trained length', () => {
  expect(frequenciesOf({ rope_scaling: { type: 'dynamic', factor: 4 } })).toEqual(frequenciesOf({}));
});

test('longrope: short factors up to the original length, where the context ends', () => {
  const rope_scaling = {
    type: 'longrope',
    short_factor: [2, 4],
    long_factor: [8, 8],
    original_max_position_embeddings: 16,
  };
  const { frequencies, contextLength, contextReason } = frequenciesOf({ rope_scaling });
  expect([...frequencies]).toEqual([0.5, Math.fround(Math.fround(0.01) / 4)]);
  expect([contextLength, contextReason]).toEqual([16, expect.stringContaining('longrope')]);
});

test('what cannot be built is named', () => {
  expect(() => frequenciesOf({ rope_scaling: { rope_type: 'spiral', factor: 4 } })).toThrow(
    `config.json of a 'llama' model: rope_scaling.rope_type is "spiral", which is not supported; known: default, linear, dynamic, llama3, yarn`,
  );
  expect(() => frequenciesOf({ rope_scaling: { type: 'linear', factor: 0.5 } })).toThrow(
    "config.json of a 'llama' model: rope_scaling.factor must be at least 1, not 0.5",
  );
  expect(() => frequenciesOf({ rope_scaling: { type: 'linear' } })).toThrow(
    "config.json of a 'llama' model: rope_scaling.factor must be a number of at least 0, not undefined",
  );
});

test('far positions, put together from two tables, turn as the cosine says', async () => {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const g = new GraphBuilder('tables');
  const { cos, sin } = rotaryTables(g, g.input('positions', 'int64', ['places']), {
    frequencies: Float32Array.of(1, 0.1),
    magnitude: 1,
    contextLength: 100_000,
  });
  g.output('cos', cos);
  g.output('sin', sin);
  const program = await device.compile(g);
  const places = [0, 255, 256, 5000, 99_999];
  const tables = await program.run({ inputs: { positions: { dims: [places.length], data: places } } });
  const slow = Math.fround(0.1);
  places.forEach((place, i) => {
    [place, slow * place].forEach((angle, k) => {
      expect(Math.abs(Number(tables.cos.data[2 * i + k]) - Math.cos(angle))).toBeLessThan(1e-6);
      expect(Math.abs(Number(tables.sin.data[2 * i + k]) - Math.sin(angle))).toBeLessThan(1e-6);
    });
  });
  await device.close();
});

describe.each([
  ['all columns', 8, false, 1],
  ['the first columns', 4, false, 1],
  ['neighbouring columns', 8, true, 1],
  ['rows of a batch that share positions', 4, true, 2],
] as const)('a rotation of %s', (_, rotaryDims, interleaved, batch) => {
  const [positions, heads, headSize, half] = [3, 2, 8, rotaryDims / 2];
  const numbers = (count: number, wave: (x: number) => number) =>
    Float32Array.from({ length: count }, (_, i) => wave(i));
  const x = numbers(batch * positions * heads * headSize, (i) => Math.cos(1.3 * i));
  const angles = numbers(positions * half, (i) => 0.4 * i);
  const tables = { cos: angles.map(Math.cos), sin: angles.map(Math.sin) };
  const build = (g: GraphBuilder) => {
    const { cos, sin } = tables;
    const table = (data: Float32Array) => g.constant(data, [positions, half]);
    return (value: Parameters<typeof rotateHeads>[1]) =>
      rotateHeads(g, value, { cos: table(cos), sin: table(sin), interleaved });
  };
  const shape = [batch * positions, heads, headSize];

  test('turns each pair by its angle, and its gradient back', async () => {
    const device = await openDevice({ device: 'cpu', threads: 1 });
    const g = new GraphBuilder('rotation');
    g.output('y', build(g)(g.input('x', 'float32', shape)));
    const { y } = await (await device.compile(g)).run({ inputs: { x: { dims: shape, data: x } } });
    const [column, partner] = interleaved
      ? [(i: number) => 2 * i, (i: number) => 2 * i + 1]
      : [(i: number) => i, (i: number) => i + half];
    const expected = [...x];
    for (let head = 0; head < batch * positions * heads; head++)
      for (let i = 0; i < half; i++) {
        const angle = angles[(Math.floor(head / heads) % positions) * half + i];
        const [first, second] = [column(i), partner(i)].map((at) => head * headSize + at);
        expected[first] = x[first] * Math.cos(angle) - x[second] * Math.sin(angle);
        expected[second] = x[second] * Math.cos(angle) + x[first] * Math.sin(angle);
      }
    expected.forEach((value, i) => expect(Number(y.data[i])).toBeCloseTo(value, 6));
    const sample = { inputs: { x: { shape, dims: shape, data: x } }, build: rotatedX };
    for (const { error } of await checkGradients(device, sample, { step: 1e-2 })) expect(error).toBeLessThan(1e-4);
    await device.close();
  });

  const rotatedX = (g: GraphBuilder, inputs: Readonly<Record<string, Parameters<typeof rotateHeads>[1]>>) =>
    build(g)(inputs.x);
});

test('a scaling for each kind of layer is refused, not passed over', () => {
  expect(() => frequenciesOf({ rope_parameters: { full_attention: { rope_theta: 100 } } })).toThrow(
    "config.json of a 'llama' model: rope_parameters.full_attention is an object: a scaling for each kind of layer is not supported",
  );
});
