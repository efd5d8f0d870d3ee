// Tests every field of the classes with which transformers and peft read a model's files: either a text in place of its value is
// refused by name, or the field is listed below as without effect. For a new family, add its type to FAMILIES of record-fields.py and
// run `record-fields.py fields`; the test then names every field that is neither.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigJson } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { configText } from '../src/architecture/config-text.js';
import { allFamilies } from '../src/decoder/all-families.js';
import { changesLogits } from '../src/decoding/logit-rules.js';
import { readLogitRules } from '../src/decoding/generation-fields.js';
import { architectureFor } from '../src/language-model/architectures.js';
import { readAdapterConfig } from '../src/lora/peft-files.js';
import { recorded } from './field-folders.js';

/** Fields of PreTrainedConfig that change no result of a decoder. */
const ofAllDecoders = `architectures transformers_version dtype bos_token_id eos_token_id pad_token_id id2label label2id problem_type
  output_hidden_states return_dict use_cache chunk_size_feed_forward`;
/** These fields concern the auxiliary loss of a mixture of experts. */
const router = 'output_router_logits router_aux_loss_coef';
const ofDecoders: Readonly<Record<string, string>> = {
  llama: 'pretraining_tp',
  gpt_neox: 'classifier_dropout is_decoder',
  gpt2: `reorder_and_upcast_attn summary_type summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout`,
  gemma3_text: 'attn_logit_softcapping',
  phi3: 'embd_pdrop', // the class reads it and does not use it
  seed_oss: 'pretraining_tp',
  bloom: 'pretraining_tp slow_but_exact', // the same numbers in another order
  qwen3_moe: router,
  mixtral: router,
  gpt_oss: `${router} hidden_act`, // its experts have a fixed activation
  qwen3_5_moe_text: router,
  qwen3_next: router,
  deepseek_v3: 'pretraining_tp num_mtp_layers num_key_value_heads',
};
/**
 * Fields of generation_config.json: settings of a run, token ids that config.json has too, options of beam search, which are refused,
 * caches, outputs and speculation.
 */
const ofGeneration = `max_length max_new_tokens do_sample temperature top_k top_p eos_token_id pad_token_id bos_token_id
  decoder_start_token_id early_stopping length_penalty low_memory use_cache cache_implementation cache_config max_cache_len
  prefill_chunk_size use_mtp renormalize_logits remove_invalid_values output_attentions output_hidden_states output_scores output_logits
  return_dict_in_generate is_assistant num_assistant_tokens num_assistant_tokens_schedule assistant_confidence_threshold
  prompt_lookup_num_tokens max_matching_ngram_size assistant_early_exit assistant_lookbehind target_lookbehind
  assistant_ensemble_weight speculation_type compile_config disable_compile continuous_batching_config transformers_version`;
/** Fields of LoRA's adapter_config.json; the last four concern initialization. */
const ofAdapters = `auto_mapping peft_version revision inference_mode fan_in_fan_out runtime_config megatron_core qalora_group_size
  ensure_weight_tying loftq_config eva_config corda_config lora_ga_config`;

/** The settings under which fields are read: most are read always, the others under one of these. */
const settings: object[] = [
  {},
  { use_sliding_window: true, max_window_layers: 1 },
  { use_sliding_window: true, layer_types: null },
  { new_decoder_architecture: true },
  { enable_moe_block: true, num_experts: 4, top_k_experts: 2, moe_intermediate_size: 7 },
  { layer_types: null },
  { no_rope_layers: null },
  { rope_scaling: null },
  { mlp_only_layers: [0] },
];

const words = (text: string) => text.split(/\s+/);

type Defaults = Record<string, unknown>;
const fields = recorded<{ decoders: Record<string, Defaults>; [file: string]: Defaults }>('fields');
const { plain } = recorded<{ plain: { config: ConfigJson }[] }>('decoders');

/** The fields of a shrunk config of a newer family that change the result, each with a value that does. */
interface Changes {
  config: ConfigJson;
  effective: Record<string, [value: unknown, logprob: number]>;
}
const changes = recorded<{ families: Record<string, Changes> }>('changes').families;
const shrunk = Object.entries(changes).map(([name, { config }]) => ({ name, config }));

const dir = newFolder();

const problemOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'loads';
  } catch (error) {
    return (error as Error).message;
  }
};

/** Lists the fields, except those without effect, for which no setting refuses a text. */
async function unchecked(all: Defaults, idle: readonly string[], load: (changes: object) => unknown, names = same) {
  const found: string[] = [];
  for (const field of Object.keys(all).filter((name) => !idle.includes(name))) {
    const problems = await Promise.all(settings.map((given) => problemOf(() => load({ ...given, [field]: 'x' }))));
    if (!problems.some((problem) => names(field).some((name) => problem.includes(name)))) found.push(field);
  }
  return found;
}
const same = (field: string) => [field];

describe.each(Object.entries(fields.decoders))('config.json of %s', (type, defaults) => {
  const base = [...plain, ...shrunk].find(({ config }) => config.model_type === type)!.config;
  const load = (given: object) => architectureFor({ ...base, ...given });
  const idle = words(`${ofAllDecoders} ${ofDecoders[type] ?? ''}`).filter(Boolean);

  test('what is not known to be without effect is checked; that loads whatever it is, and changes nothing', async () => {
    const names = (field: string) => [field, allFamilies[type].aliases?.[field] ?? field];
    expect(await unchecked(defaults, idle, load, names)).toEqual([]);
    expect(idle.filter((field) => !(field in defaults))).toEqual([]);
    const { parameters } = load({});
    for (const field of idle)
      expect({ field, parameters: load({ [field]: 'x' }).parameters }).toEqual({ field, parameters });
  });
});

test.each(shrunk)('what changes the result of $name in transformers is checked here', async ({ name, config }) => {
  const { aliases = {} } = allFamilies[String(config.model_type)];
  const missed: string[] = [];
  for (const [field, [value]] of Object.entries(changes[name].effective)) {
    const problem = await problemOf(() => architectureFor({ ...config, [field]: 'x' }));
    // If nothing reads the text, the value itself must be refused.
    const named = problem === 'loads' ? await problemOf(() => architectureFor({ ...config, [field]: value })) : problem;
    if (![field, aliases[field] ?? field].some((one) => named.includes(one))) missed.push(`${field}: ${named}`);
  }
  expect(missed).toEqual([]);
});

test('fields that transformers refuses as integers are written as floats', () => {
  const text = configText({ ...fields.floats, text_config: fields.floats, num_hidden_layers: 1 });
  for (const name of Object.keys(fields.floats)) expect(text.split(`"${name}": 1.0`)).toHaveLength(3);
  expect(text).toContain('"num_hidden_layers": 1\n');
});

test('generation_config.json: every field is checked, or changes no logits', async () => {
  const rules = (json: object) => {
    writeFileSync(join(dir, 'generation_config.json'), JSON.stringify(json));
    return readLogitRules(dir, 29, { samples: true });
  };
  const idle = words(ofGeneration);
  const defaults = fields['generation_config.json'];
  expect(await unchecked(defaults, idle, rules)).toEqual([]);
  expect(idle.filter((field) => !(field in defaults))).toEqual([]);
  for (const json of [defaults, Object.fromEntries(idle.map((field) => [field, 'x']))])
    expect(changesLogits((await rules(json)).rules)).toBe(false);
});

test('adapter_config.json: every field is checked, or changes no option', async () => {
  const defaults = fields['adapter_config.json'];
  const read = (given: object) => {
    const config = { ...defaults, peft_type: 'LORA', base_model_name_or_path: dir, ...given };
    writeFileSync(join(dir, 'adapter_config.json'), JSON.stringify(config));
    return readAdapterConfig(dir);
  };
  const idle = words(ofAdapters);
  // For these fields a text is valid: a list of targets, or a pattern of what is excluded. A missing folder is reported when the base
  // is opened.
  expect(
    await unchecked(defaults, [...idle, 'target_modules', 'exclude_modules', 'base_model_name_or_path'], read),
  ).toEqual([]);
  expect(idle.filter((field) => !(field in defaults))).toEqual([]);
  for (const pattern of ['rank_pattern', 'alpha_pattern'])
    for (const wrong of [[1], { q_proj: 0 }, { q_proj: 'x' }])
      expect(await problemOf(() => read({ [pattern]: wrong }))).toContain(`${pattern} is `);
  const { options } = await read({});
  expect(await read(Object.fromEntries(idle.map((field) => [field, 'x'])))).toEqual({ options, base: dir });
  expect((await read({ use_rslora: true })).options.rankStabilized).toBe(true);
  for (const start of ['pissa', 'olora', 'corda', 'loftq', 'lora_ga', 'mica', 'pissa_niter_4'])
    expect(await problemOf(() => read({ init_lora_weights: start }))).toContain('init_lora_weights is ');
  // An unknown field is refused unless it is off.
  expect(await problemOf(() => read({ use_something: false, another: null }))).toBe('loads');
  expect(await problemOf(() => read({ use_something: 2 }))).toContain('use_something is 2');
});
