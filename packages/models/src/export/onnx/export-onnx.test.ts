import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, type InputTensor } from '@bowyer/graph';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { architectureFor } from '../../language-model/architectures.js';
import { LanguageModel } from '../../language-model/language-model.js';
import { weightLayouts } from '../../quantization/weight-layouts.js';
import { withOpenedModel } from '../opened-model.js';
import { exportOnnx, type OnnxOptions } from './export-onnx.js';
import { onnxGraph } from './onnx-graph.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
let dir: string;
afterAll(() => device.close());
beforeEach(() => (dir = newFolder()));

const sizes = { hidden_size: 16, intermediate_size: 24, num_hidden_layers: 2, num_attention_heads: 4 };
const configs = {
  gpt2: { model_type: 'gpt2', n_embd: 16, n_head: 2, n_layer: 2, n_positions: 32, initializer_range: 0.3 },
  llama: { ...sizes, model_type: 'llama', num_key_value_heads: 2, max_position_embeddings: 32, initializer_range: 0.3 },
  mistral: { ...sizes, model_type: 'mistral', num_key_value_heads: 2, sliding_window: 3, initializer_range: 0.3 },
};
const PROMPT = [3, 4, 5, 6];
const NEW_TOKENS = 6;

async function saved(config: object, lora?: object): Promise<string> {
  const tokenizer = wordLevelTokenizer(['is it big? Yes. is it red? No.']);
  const model = await LanguageModel.create({ device, config: { ...config }, tokenizer, rng: new Rng(1) });
  const folder = join(dir, 'model');
  await model.save(folder);
  await model.release();
  if (!lora) return folder;
  const adapted = await LanguageModel.load({
    device,
    dir: folder,
    lora: { r: 2, alpha: 4, dropout: 0, seed: 1, targetModules: ['q_proj'] },
  });
  await adapted.save(join(dir, 'adapter'));
  await adapted.release();
  return join(dir, 'adapter');
}

const written = (folder: string, options: Partial<OnnxOptions> = {}) =>
  exportOnnx({ dir: folder, output: join(dir, 'out'), precisions: ['fp32'], merge: false, ...options });
const json = (name: string) => JSON.parse(readFileSync(join(dir, 'out', name), 'utf8')) as Record<string, unknown>;

async function greedyHere(folder: string): Promise<number[]> {
  const model = await LanguageModel.load({ device, dir: folder, masksPadding: false });
  const episodes = await model.openEpisodes({ slots: 1, contextLength: 16 });
  const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
  const turn = { slot: 0, reset: true, tokens: PROMPT, rng: new Rng(3) };
  const [{ ids }] = await episodes.act([turn], { ...greedy, maxNewTokens: NEW_TOKENS });
  await episodes.close();
  await model.release();
  return ids;
}

type Step = (ids: readonly number[], past: Record<string, InputTensor>) => Promise<Record<string, InputTensor>>;

/** Runs the exported graph with the weights of the folder. The mask excludes `padding` tokens on the left. */
function withGraph<T>(folder: string, padding: number, use: (step: Step) => Promise<T>): Promise<T> {
  return withOpenedModel(folder, async ({ architecture, read }) => {
    const graph = onnxGraph(architecture, { float: 'float32', layouts: weightLayouts(architecture, 'none') });
    const program = await device.compile(graph);
    const weights: Record<string, InputTensor> = {};
    for (const spec of architecture.parameters)
      if (graph.inputs.has(spec.name)) weights[spec.name] = { dims: spec.shape, data: (await read(spec)).data };
    const { keyValueHeads, headSize, layers } = architecture;
    const empty = { dims: [1, keyValueHeads, 0, headSize], data: new Float32Array(0) };
    const noPast = Object.fromEntries(
      Array.from({ length: layers }, (_, n) => [`past_key_values.${n}.key`, `past_key_values.${n}.value`])
        .flat()
        .map((name) => [name, empty]),
    );
    const result = await use((ids, past) => {
      const before = past['past_key_values.0.key']?.dims[2] ?? 0;
      const row = (data: number[]) => ({ dims: [1, data.length], data });
      const inputs = {
        ...weights,
        ...(before > 0 ? past : noPast),
        input_ids: row([...ids]),
        attention_mask: row(Array.from({ length: before + ids.length }, (_, at) => Number(at >= padding))),
        position_ids: row(ids.map((_, at) => Math.max(0, before + at - padding))),
      };
      return program.run({ inputs }) as Promise<Record<string, InputTensor>>;
    });
    await program.release();
    return result;
  });
}

function lastChoice({ dims, data }: InputTensor): number {
  const logits = Array.from(data as Float32Array).slice(-dims[2]);
  return logits.indexOf(Math.max(...logits));
}

async function greedyThere(folder: string, { cached, padding = 0 }: { cached: boolean; padding?: number }) {
  return withGraph(folder, padding, async (step) => {
    const ids = [...Array<number>(padding).fill(0), ...PROMPT];
    let [fresh, past] = [ids, {} as Record<string, InputTensor>];
    const start = ids.length;
    while (ids.length < start + NEW_TOKENS) {
      const outputs = await step(fresh, past);
      ids.push(lastChoice(outputs.logits));
      fresh = cached ? ids.slice(-1) : ids;
      if (cached)
        past = Object.fromEntries(
          Object.entries(outputs).map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor]),
        );
      delete past.logits;
    }
    return ids.slice(start);
  });
}

test.each(Object.keys(configs) as (keyof typeof configs)[])(
  '%s: greedy tokens are those of the model here, with the cache, without it, and behind padding',
  async (type) => {
    const folder = await saved(configs[type]);
    const ours = await greedyHere(folder);
    expect(await greedyThere(folder, { cached: true })).toEqual(ours);
    expect(await greedyThere(folder, { cached: false })).toEqual(ours);
    expect(await greedyThere(folder, { cached: true, padding: 3 })).toEqual(ours);
  },
);

test('products read the weights as they are stored: no transposed or padded copy of one is made', () => {
  const config = { ...configs.gpt2, n_embd: 129, n_head: 3, vocab_size: 1001 };
  const architecture = architectureFor(config);
  const graph = onnxGraph(architecture, { float: 'float32', layouts: weightLayouts(architecture, 'none') });
  const copies = graph.nodes.filter(({ op }) => ['Transpose', 'Pad'].includes(op.opType));
  expect(copies.filter(({ inputs }) => inputs[0]!.kind === 'input')).toEqual([]);
});

test('the folder has the files of transformers.js, a model in each type, and the tensors beside a large one', async () => {
  const { files } = await written(await saved(configs.llama), { precisions: ['fp32', 'q4'], externalFrom: 4000 });
  expect(files.map(({ name }) => name)).toEqual([
    'onnx/model.onnx',
    'onnx/model.onnx_data',
    'onnx/model_q4.onnx',
    'onnx/model_q4.onnx_data',
  ]);
  for (const { name, bytes } of files) expect(statSync(join(dir, 'out', name)).size).toBe(bytes);
  expect(json('config.json')).toMatchObject({
    model_type: 'llama',
    'transformers.js_config': { use_external_data_format: { 'model.onnx': 1, 'model_q4.onnx': 1 } },
  });
  expect(json('tokenizer_config.json')).toMatchObject({ unk_token: '<unk>' });
  expect(existsSync(join(dir, 'out', 'generation_config.json'))).toBe(true);
});

test('the config names the files with caches in float16 for transformers.js 3, and q4f16 has no weight of 8 bits', async () => {
  await written(await saved(configs.llama), { precisions: ['fp32', 'fp16', 'q4f16'] });
  expect(json('config.json')).toMatchObject({
    'transformers.js_config': { kv_cache_dtype: { fp16: 'float16', q4f16: 'float16' } },
  });
  const file = readFileSync(join(dir, 'out', 'onnx', 'model_q4f16.onnx'), 'latin1');
  expect(file).toContain('model.layers.0.mlp.up_proj.weight_quantized');
  expect(file).not.toContain('embed_tokens.weight_quantized');
  expect(file).not.toContain('lm_head.weight_quantized');
});

test('what has no counterpart is refused by name before a file is written', async () => {
  const lfm2 = await saved({
    ...sizes,
    model_type: 'lfm2',
    num_key_value_heads: 2,
    layer_types: ['conv', 'full_attention'],
  });
  await expect(written(lfm2)).rejects.toThrow(/cannot be written as ONNX: it is a lfm2, whose layers keep states/);
  const adapter = await saved(configs.llama, {});
  await expect(written(adapter)).rejects.toThrow('ONNX has no adapters beside a model: write task.merge=true');
  expect(existsSync(join(dir, 'out'))).toBe(false);
});
