// Tests which modules are adapted. The expected places in `names` are those that check_target_module_exists of peft 0.21 chose for the
// same keys.
import { targetedModules, type LoraOptions } from './lora-options.js';

const names = [
  'model.layers.0.self_attn.q_proj',
  'model.layers.0.self_attn.v_proj',
  'model.layers.0.mlp.down_proj',
  'model.layers.1.self_attn.q_proj',
  'model.layers.1.mlp.down_proj',
  'model.layers.1.experts.0.down_proj',
  'model.layers.11.self_attn.q_proj',
  'transformer.h.1.attn.c_attn',
  'h.1.attn.c_attn',
  'model.vision.blocks.1.layers.0.q_proj',
  'lm_head',
];
const targetModules = ['q_proj', 'v_proj', 'down_proj', 'c_attn', 'lm_head'];

test.each<[Partial<LoraOptions>, number[]]>([
  [{}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ layersToTransform: [1] }, [3, 4, 5, 7, 9, 10]],
  [{ layersToTransform: [0, 11] }, [0, 1, 2, 6, 10]],
  [{ layersToTransform: [1], layersPattern: ['layers'] }, [3, 4, 5, 10]],
  [{ layersToTransform: [0], layersPattern: ['layers'] }, [0, 1, 2, 9, 10]],
  [{ layersToTransform: [1], layersPattern: ['h', 'blocks'] }, [7, 9, 10]],
  [{ layersToTransform: [0], layersPattern: ['h', 'layers'] }, [0, 1, 2, 9, 10]],
  [{ layersToTransform: [1], layersPattern: ['lay.*'] }, [3, 4, 10]],
  [{ layersToTransform: [0, 1], layersPattern: [] }, [0, 1, 2, 3, 4, 5, 7, 9, 10]],
  [{ excludeModules: ['q_proj', 'lm_head'] }, [1, 2, 4, 5, 7, 8]],
  [{ excludeModules: ['proj', 'self_attn'] }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ excludeModules: ['layers.0.mlp.down_proj', 'h.1.attn.c_attn'] }, [0, 1, 3, 4, 5, 6, 9, 10]],
  [{ excludeModules: String.raw`.*\.0\..*` }, [3, 4, 6, 7, 8, 10]],
  [{ excludeModules: 'q_proj' }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ excludeModules: String.raw`model\.layers\.\d\..*` }, [6, 7, 8, 9, 10]],
  [{ targetModules: String.raw`.*\.(q_proj|c_attn)`, excludeModules: '.*11.*' }, [0, 3, 7, 8, 9]],
  [{ layersToTransform: [1], excludeModules: ['q_proj'] }, [4, 5, 7, 10]],
])('%j', (keys, expected) => {
  const options = { r: 1, alpha: 1, dropout: 0, targetModules, ...keys };
  const modules = targetedModules(options, 'llama', { inside: names.slice(0, -1), heads: ['lm_head'] });
  expect(modules.map((module) => names.indexOf(module))).toEqual(expected);
});

test('what no layer has is an error, but in an adapter that PEFT wrote; where nothing is left, it is one there as well', () => {
  const modules = (keys: Partial<LoraOptions>) =>
    targetedModules({ r: 1, alpha: 1, dropout: 0, targetModules, ...keys }, 'llama', {
      inside: names.slice(0, 2),
      heads: [],
      experts: ['model.layers.1.experts.0.down_proj'],
    });
  const absent = { targetModules: ['q_proj', 'query_key_value'] };
  const written = { mayNameAbsent: true };
  const problem = "no linear layer of this llama is called 'query_key_value'";
  expect(() => modules(absent)).toThrow(problem);
  expect(modules({ ...absent, ...written })).toEqual([names[0]]);
  expect(() => modules({ targetModules: ['query_key_value'], ...written })).toThrow(problem);
  expect(() => modules({ targetModules: ['q_proj', 'down_proj'], ...written })).toThrow(
    "'down_proj' names layers of experts",
  );

  const layers = { targetModules: ['q_proj'], layersToTransform: [0, 9] };
  expect(() => modules(layers)).toThrow('layers_to_transform has 9, and the model has no such layer');
  expect(modules({ ...layers, ...written })).toEqual([names[0]]);
  expect(() => modules({ ...layers, layersToTransform: [9], ...written })).toThrow(
    'these layers have none of target_modules',
  );
});
