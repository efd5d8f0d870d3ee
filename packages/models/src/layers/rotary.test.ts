// transformers' results for each kind of scaling are compared in test/reference-checkpoints.test.ts, decoder-fields and families.
import { GraphBuilder, openDevice } from '@bowyer/graph';
import { rotaryTables } from './rotary-embedding.js';
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
    [Math.cos(place), Math.cos(slow * place), Math.cos(place), Math.cos(slow * place)].forEach((value, k) =>
      expect(Math.abs(Number(tables.cos.data[4 * i + k]) - value)).toBeLessThan(1e-6),
    );
    [-Math.sin(place), -Math.sin(slow * place), Math.sin(place), Math.sin(slow * place)].forEach((value, k) =>
      expect(Math.abs(Number(tables.sin.data[4 * i + k]) - value)).toBeLessThan(1e-6),
    );
  });
  await device.close();
});

test('a scaling for each kind of layer is refused, not passed over', () => {
  expect(() => frequenciesOf({ rope_parameters: { full_attention: { rope_theta: 100 } } })).toThrow(
    "config.json of a 'llama' model: rope_parameters.full_attention is an object: a scaling for each kind of layer is not supported",
  );
});
