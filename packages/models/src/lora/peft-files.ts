// Reads and writes adapters in PEFT's layout: adapter_config.json and adapter_model.safetensors, as Python's peft does.
// Source: https://huggingface.co/docs/peft/developer_guides/checkpoint
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { readSafetensors, writeSafetensors, type HostTensors } from '@bowyer/checkpoints';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { DefinitionError } from '@bowyer/text';
import { adapterLayout, type AdapterLayout } from './adapter-layout.js';
import { ModuleChoiceError, type LoraOptions } from './lora-options.js';

const CONFIG = 'adapter_config.json';
const WEIGHTS = 'adapter_model.safetensors';
/** The prefix of tensor names, since PEFT wraps the model in two further modules. */
const PREFIX = 'base_model.model.';

/** Thrown for an adapter directory that is invalid or that needs something unsupported. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';

  constructor(
    readonly dir: string,
    problem: string,
    advice: string,
  ) {
    super([`Cannot load the adapter ${dir}`, `  ${problem}`, `  ${advice}`].join('\n'));
  }
}

/** Returns whether a directory contains an adapter and not a complete model. */
export const isAdapterDirectory = (dir: string): boolean => existsSync(join(dir, CONFIG));

const readKeys = [
  'r',
  'lora_alpha',
  'lora_dropout',
  'target_modules',
  'use_rslora',
  'base_model_name_or_path',
  'rank_pattern',
  'alpha_pattern',
  'use_dora',
  'layers_to_transform',
  'layers_pattern',
  'exclude_modules',
];

/**
 * The keys that have no effect on loading an adapter: metadata, settings of training, and settings of variants that `supportedValues`
 * refuses. fan_in_fan_out is ignored, since the layout follows from the model, as in PEFT.
 */
const idleKeys = [
  'auto_mapping',
  'peft_version',
  'revision',
  'inference_mode',
  'fan_in_fan_out',
  'runtime_config',
  'megatron_core',
  'qalora_group_size',
  'ensure_weight_tying',
  'loftq_config',
  'eva_config',
  'corda_config',
  'lora_ga_config',
];

/** The supported values of some keys of adapter_config.json; keys in no list of this file must be null, false or empty. */
const supportedValues: Readonly<Record<string, readonly unknown[]>> = {
  peft_type: ['LORA'],
  task_type: ['CAUSAL_LM', null],
  bias: ['none', null],
  // These methods of initialization do not change the base's weights. PEFT would change them for PiSSA, OLoRA, CorDA, LoRA-GA and
  // LoftQ when it loads the adapter.
  init_lora_weights: [true, false, 'gaussian', 'eva', 'orthogonal', null],
};

const isNeutral = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) > 0;
const isName = (value: unknown) => typeof value === 'string' && value !== '';
const isIndex = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
/**
 * Returns whether a value of layers_pattern is supported. PEFT appends a group for the layer's index and reads the first group,
 * so the value must not have groups or alternatives.
 */
const isListName = (value: unknown) => isName(value) && !/[(|]/.test(value as string);

/** Returns whether a value is absent, one item, or a list of items; as in PEFT, an empty list or text counts as absent. */
const isNoneOrSome = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  value === null || value === '' || (Array.isArray(value) ? value.every(isItem) : isItem(value));

/** The required types of the keys of adapter_config.json, for keys that a file has. */
const forms: Readonly<Record<string, [isFine: (value: unknown) => boolean, form: string]>> = {
  r: [isCount, 'a positive integer'],
  lora_alpha: [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
  lora_dropout: [(value) => typeof value === 'number' && value >= 0 && value < 1, 'a number of at least 0 and below 1'],
  target_modules: [
    (value) => value === null || isName(value) || (Array.isArray(value) && value.length > 0 && value.every(isName)),
    'a list of names, or a regular expression',
  ],
  layers_to_transform: [
    (value) => value !== '' && isNoneOrSome(value, isIndex),
    "a layer's index, or a list of indexes, from 0",
  ],
  layers_pattern: [
    (value) => isNoneOrSome(value, isListName),
    'a name of a list of layers, or a list of such names: expressions without groups and alternatives',
  ],
  exclude_modules: [(value) => isNoneOrSome(value, isName), 'a list of names, or a regular expression'],
};

const peftDefaults = { r: 8, lora_alpha: 8, lora_dropout: 0 };

const isPattern = (value: unknown): boolean =>
  typeof value === 'object' &&
  !Array.isArray(value) &&
  Object.values(value!).every((x) => typeof x === 'number' && x > 0);

/** Throws AdapterError for an unknown key, and for one that would change the result and is not supported. */
function checkKeys(dir: string, config: Record<string, unknown>): void {
  const shown = (key: string) => `${CONFIG}: ${key} is ${JSON.stringify(config[key])}`;
  // These values, first of all `peft_type`, are checked before unknown keys: other kinds of adapters have other keys.
  for (const [key, allowed] of Object.entries(supportedValues))
    if (!allowed.includes(config[key] ?? null))
      throw new AdapterError(dir, shown(key), `supported here: ${allowed.join(', ')}${adviceFor[key] ?? ''}`);
  for (const [key, [isFine, form]] of Object.entries(forms))
    if (config[key] !== undefined && !isFine(config[key]))
      throw new AdapterError(dir, shown(key), `it must be ${form}`);
  for (const key of ['layers_to_transform', 'layers_pattern'])
    if (typeof config.target_modules === 'string' && (config[key] ?? null) !== null)
      throw new AdapterError(dir, shown(key), 'it must be null where target_modules is a string, as in PEFT');
  if (listOf(config.layers_pattern) && (config.layers_to_transform ?? null) === null)
    throw new AdapterError(dir, shown('layers_pattern'), 'it requires layers_to_transform');
  for (const flag of ['use_rslora', 'use_dora'])
    if (typeof config[flag] !== 'boolean' && !isNeutral(config[flag]))
      throw new AdapterError(dir, shown(flag), 'it must be true or false');
  for (const pattern of ['rank_pattern', 'alpha_pattern'])
    if (!isNeutral(config[pattern]) && !isPattern(config[pattern]))
      throw new AdapterError(dir, shown(pattern), 'it must be an object of numbers above 0 by expressions for modules');
  for (const [key, value] of Object.entries(config))
    if (!readKeys.includes(key) && !idleKeys.includes(key) && !(key in supportedValues) && !isNeutral(value))
      throw new AdapterError(
        dir,
        shown(key),
        'not supported: merge the adapter into its base with PEFT (merge_and_unload) and load the result',
      );
}

const adviceFor: Readonly<Record<string, string>> = {
  init_lora_weights:
    '; let PEFT convert the adapter into a plain one (save_pretrained with path_initial_model_for_weight_conversion)',
};

/** Throws AdapterError if the adapter is of another kind, or its base is not a local directory. */
export async function readAdapterConfig(dir: string): Promise<{ options: LoraOptions; base: string }> {
  const { options, named, base } = await readAdapterOptions(dir);
  if (base !== null) return { options, base };
  throw new AdapterError(
    dir,
    `${CONFIG}: base_model_name_or_path is ${JSON.stringify(named ?? null)}, which is not a directory here`,
    'download the base model and write the path of its directory there',
  );
}

/** Reads adapter_config.json. @returns `named`: the base's name in it; `base`: the directory of that name, or null */
export async function readAdapterOptions(
  dir: string,
): Promise<{ options: LoraOptions; named: unknown; base: string | null }> {
  const path = join(dir, CONFIG);
  const form = 'it must be a JSON object as PEFT writes it';
  let config: Record<string, unknown> | null;
  try {
    config = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown> | null;
  } catch (error) {
    throw new AdapterError(dir, `${CONFIG}: ${(error as Error).message}`, form);
  }
  if (config === null || typeof config !== 'object' || Array.isArray(config))
    throw new AdapterError(dir, `${CONFIG}: it is not an object`, form);
  checkKeys(dir, config);
  const options = {
    r: Number(config.r ?? peftDefaults.r),
    alpha: Number(config.lora_alpha ?? peftDefaults.lora_alpha),
    dropout: Number(config.lora_dropout ?? peftDefaults.lora_dropout),
    rankStabilized: config.use_rslora === true,
    rankPattern: patternOf(config.rank_pattern),
    alphaPattern: patternOf(config.alpha_pattern),
    usesMagnitudes: config.use_dora === true,
    targetModules: (config.target_modules ?? null) as LoraOptions['targetModules'],
    mayNameAbsent: true,
    layersToTransform: listOf<number>(config.layers_to_transform),
    layersPattern: listOf<string>(config.layers_pattern),
    excludeModules: excludedOf(config.exclude_modules),
  };
  const named = config.base_model_name_or_path;
  return { options, named, base: baseDirectory(dir, named) };
}

const patternOf = (value: unknown) => (isNeutral(value) ? undefined : (value as Record<string, number>));

/** Returns a single item or a list of items as a list; undefined if there are none. */
function listOf<T>(value: unknown): T[] | undefined {
  const items = Array.isArray(value) ? value : [value ?? ''];
  return items.length === 0 || items[0] === '' ? undefined : (items as T[]);
}

const excludedOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : listOf<string>(value));

function baseDirectory(dir: string, named: unknown): string | null {
  if (typeof named !== 'string' || named === '') return null;
  // A relative path is looked up in the working directory, then in the adapter's directory.
  const isDirectory = (path: string) => existsSync(path) && statSync(path).isDirectory();
  return [resolve(named), resolve(dir, named)].find(isDirectory) ?? null;
}

/** Returns the layout of an adapter in its base. @throws AdapterError which names the keys that do not fit */
export function adapterLayoutIn(dir: string, architecture: CausalArchitecture, options: LoraOptions): AdapterLayout {
  try {
    return adapterLayout(architecture, options);
  } catch (error) {
    if (error instanceof ModuleChoiceError) throw new AdapterError(dir, `${CONFIG}: ${error.problem}`, error.advice);
    if (!(error instanceof DefinitionError)) throw error;
    throw new AdapterError(dir, `${CONFIG}: ${error.message}`, 'it must be a regular expression that Python reads');
  }
}

/** Throws an `AdapterError` unless an adapter has the scales (alpha / r) of the model's adapter, which it is to replace. */
export function checkSameScales(dir: string, { adapters }: AdapterLayout, own: AdapterLayout): void {
  for (const { weight, module, scale } of own.adapters.values()) {
    const found = adapters.get(weight)?.scale;
    if (found !== undefined && found !== scale)
      throw new AdapterError(
        dir,
        `${CONFIG}: alpha / r of ${module} is ${found}, and ${scale} in the model that is to take it up`,
        'give both the same alpha and rank',
      );
  }
}

/** Reads the adapter's tensors (A, B and the magnitudes of each layer), and renames them as the layout names its parameters. */
export async function readAdapterWeights(dir: string, { adapters, parameters }: AdapterLayout): Promise<HostTensors> {
  const path = join(dir, WEIGHTS);
  const stored = await readSafetensors(path, { requireFinite: true });
  const rest = new Set(Object.keys(stored));
  const tensors: HostTensors = {};
  for (const { name, shape } of parameters) {
    const tensor = stored[PREFIX + name];
    if (tensor?.shape.join() !== shape.join())
      throw new AdapterError(
        dir,
        `${WEIGHTS}: '${PREFIX + name}' is ${tensor ? `[${tensor.shape.join(', ')}]` : 'missing'}, the base requires [${shape.join(', ')}]`,
        'do the adapter and the base belong together?',
      );
    tensors[name] = tensor;
    rest.delete(PREFIX + name);
  }
  if (rest.size > 0)
    throw new AdapterError(
      dir,
      `${WEIGHTS}: '${[...rest][0]}' belongs to no adapted layer`,
      `adapter_config.json adapts ${[...adapters.values()].map(({ module }) => module).join(', ')}`,
    );
  return tensors;
}

/** Writes an adapter's files. @param base the directory of the base, which PEFT will look up */
export async function writeAdapter(
  dir: string,
  tensors: HostTensors,
  { options, fanInFanOut }: AdapterLayout,
  base: string,
): Promise<void> {
  const named = Object.entries(tensors).map(([name, tensor]) => [PREFIX + name, tensor] as const);
  await writeSafetensors(join(dir, WEIGHTS), Object.fromEntries(named));
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base,
    r: options.r,
    lora_alpha: options.alpha,
    lora_dropout: options.dropout,
    target_modules: options.targetModules,
    bias: 'none',
    use_rslora: options.rankStabilized ?? false,
    rank_pattern: options.rankPattern ?? {},
    alpha_pattern: options.alphaPattern ?? {},
    use_dora: options.usesMagnitudes ?? false,
    layers_to_transform: options.layersToTransform ?? null,
    layers_pattern: options.layersPattern ?? null,
    // The key exclude_modules is written only if it has a value, since older versions of PEFT do not know it.
    ...(options.excludeModules !== undefined && { exclude_modules: options.excludeModules }),
    fan_in_fan_out: fanInFanOut,
    init_lora_weights: true,
    inference_mode: true,
    modules_to_save: null,
  };
  await writeFileAtomically(join(dir, CONFIG), `${JSON.stringify(config, null, 2)}\n`);
}
