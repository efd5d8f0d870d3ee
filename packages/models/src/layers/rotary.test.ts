import { GraphBuilder, openDevice, type Device } from '@bowyer/graph';
import { rotaryTables, rotateHeads } from './rotary-embedding.js';
import { rotaryFrequencies } from './rotary-frequencies.js';

const frequenciesOf = (json: Record<string, unknown>, rotaryDims = 4) =>
  rotaryFrequencies('llama', json, { rotaryDims, defaultBase: 10000, trainedLength: 64 });

test('frequencies fall from 1 by the power of the base', () => {
  const { frequencies, magnitude, contextLength } = frequenciesOf({});
  expect([...frequencies]).toEqual([1, Math.fround(0.01)]); // 10000^(−0/4), 10000^(−2/4)
  expect([magnitude, contextLength]).toEqual([1, 64]);
  expect([...frequenciesOf({ rope_theta: 100 }).frequencies]).toEqual([1, Math.fround(0.1)]);
  expect([...frequenciesOf({ rope_parameters: { rope_theta: 100, rope_type: 'default' } }).frequencies]).toEqual([
    1,
    Math.fround(0.1),
  ]);
});

test('linear: positions are divided by the factor; dynamic: nothing changes within the trained length', () => {
  expect([...frequenciesOf({ rope_scaling: { type: 'linear', factor: 4 } }).frequencies]).toEqual([
    0.25,
    Math.fround(0.0025),
  ]);
  expect(frequenciesOf({ rope_scaling: { type: 'dynamic', factor: 4 } })).toEqual(frequenciesOf({}));
});

test('llama3: fast frequencies stay, slow ones are divided, one between is blended', () => {
  const scaling = {
    rope_type: 'llama3',
    factor: 8,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 128,
  };
  const { frequencies } = frequenciesOf({ rope_theta: 10000, rope_scaling: scaling }, 8);
  // Rotations within 128 positions: 128 f / 2π = 20.4, 2.04, 0.204, 0.0204 for f = 1, 0.1, 0.01, 0.001.
  const turns = 12.8 / (2 * Math.PI);
  const kept = (turns - 1) / 3;
  expect(frequencies[0]).toBe(1);
  expect(frequencies[1]).toBeCloseTo(kept * 0.1 + ((1 - kept) * 0.1) / 8, 7);
  expect(frequencies[2]).toBeCloseTo(0.01 / 8, 9);
  expect(frequencies[3]).toBeCloseTo(0.001 / 8, 9);
});

test('yarn: a longer context, larger cosines, slow frequencies divided', () => {
  const { frequencies, magnitude, contextLength } = frequenciesOf(
    { rope_scaling: { rope_type: 'yarn', factor: 4 } },
    8,
  );
  expect(contextLength).toBe(256);
  expect(magnitude).toBeCloseTo(0.1 * Math.log(4) + 1, 12);
  // Within 64 positions there are 32 rotations at index 8 ln(64 / 64π) / (2 ln 10⁴) < 0 → 0, and one at 1.008 → 2: the ramp is 0, ½,
  // 1, 1.
  expect(frequencies[0]).toBe(1);
  expect(frequencies[1]).toBeCloseTo(0.5 * 0.1 + (0.5 * 0.1) / 4, 7);
  expect(frequencies[2]).toBeCloseTo(0.01 / 4, 9);
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

describe('the turn', () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice({ device: 'cpu', threads: 1 });
  });
  afterAll(() => device.close());

  const turn = async (x: number[], positions: number[], rows: string, rotary: number) => {
    const g = new GraphBuilder('turn');
    const heads = g.input('x', 'float32', [rows, 1, 4]);
    const at = g.input('positions', 'int64', ['places']);
    const frequencies = Float32Array.from({ length: rotary / 2 }, () => Math.PI / 2);
    const tables = rotaryTables(g, at, { frequencies, magnitude: 1, contextLength: 8 });
    g.output('y', rotateHeads(g, heads, tables));
    const program = await device.compile(g);
    const { y } = await program.run({
      inputs: {
        x: { dims: [x.length / 4, 1, 4], data: Float32Array.from(x) },
        positions: { dims: [positions.length], data: positions },
      },
    });
    await program.release();
    return [...(y.data as Float32Array)].map((value) => Math.round(value * 1e5) / 1e5);
  };

  test('a quarter turn takes (a, b) to (−b, a), halves of a head being the pairs', async () => {
    expect(await turn([1, 2, 3, 4, 1, 2, 3, 4], [0, 1], 'places', 4)).toEqual([1, 2, 3, 4, -3, -4, 1, 2]);
  });

  test('the same positions serve every row of a batch', async () => {
    const once = await turn([1, 2, 3, 4, 5, 6, 7, 8], [1, 2], 'places', 4);
    expect(await turn([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8], [1, 2], '2*places', 4)).toEqual([
      ...once,
      ...once,
    ]);
  });

  test('far positions, put together from two tables, turn as the cosine says', async () => {
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
      [Math.cos(place), Math.cos(slow * place), Math.cos(place), Math.cos(slow * place)].forEach((value, k) =>
        expect(Math.abs(Number(tables.cos.data[4 * i + k]) - value)).toBeLessThan(1e-6),
      );
      [-Math.sin(place), -Math.sin(slow * place), Math.sin(place), Math.sin(slow * place)].forEach((value, k) =>
        expect(Math.abs(Number(tables.sin.data[4 * i + k]) - value)).toBeLessThan(1e-6),
      );
    });
    await program.release();
  });

  test('columns beyond the rotary ones stay', async () => {
    expect(await turn([1, 2, 3, 4], [1], 'places', 2)).toEqual([-2, 1, 3, 4]);
  });
});

test('a scaling for each kind of layer is refused, not passed over', () => {
  expect(() => frequenciesOf({ rope_parameters: { full_attention: { rope_theta: 100 } } })).toThrow(
    "config.json of a 'llama' model: rope_parameters.full_attention is an object: a scaling for each kind of layer is not supported",
  );
});
