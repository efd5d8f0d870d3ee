// Declares the options of LoRA, and finds the modules of a model that it adapts, with PEFT's names and rules.
// Source: Hu et al. 2021, arXiv:2106.09685; https://huggingface.co/docs/peft/package_reference/lora
import { maximum, minimum } from '@bowyer/core';
import { endMatcher, fullMatcher, layerIndexFinder } from './python-pattern.js';

export interface LoraOptions {
  /** The rank of the update. */
  r: number;
  /** The update is scaled by alpha / r. */
  alpha: number;
  /** Whether the update is scaled by alpha / √r instead (rsLoRA: Kalajdzievski 2023, arXiv:2312.03732); false if not given. */
  rankStabilized?: boolean;
  /** Ranks of some modules, by regular expressions for the end of a module's path; the first one that matches is used. */
  rankPattern?: Readonly<Record<string, number>>;
  /** Values of alpha for some modules, by regular expressions as in `rankPattern`. */
  alphaPattern?: Readonly<Record<string, number>>;
  /** Whether magnitude and direction are trained separately (DoRA: Liu et al. 2024, arXiv:2402.09353); false if not given. */
  usesMagnitudes?: boolean;
  /** The dropout probability of the adapter's input in training. */
  dropout: number;
  /**
   * Names of modules (`q_proj`, or the end of a path such as `attn.c_proj`), a regular expression for whole paths, or 'all-linear' for
   * every linear layer except the output head. null: PEFT's default for this architecture.
   */
  targetModules: readonly string[] | string | null;
  /**
   * Whether `targetModules` and `layersToTransform` may name modules and layers that the model does not have. PEFT allows it, and
   * its adapters often name the layers of several architectures; false if not given, so that such a name is an error.
   */
  mayNameAbsent?: boolean;
  /** Indices of the layers that are adapted; all if not given. A whole path in `targetModules` is always adapted, as in PEFT. */
  layersToTransform?: readonly number[];
  /** Regular expressions for module lists in which `layersToTransform` counts (such as `h`); any list if not given. */
  layersPattern?: readonly string[];
  /** Modules that are not adapted: names, ends of paths, or a regular expression for whole paths. */
  excludeModules?: readonly string[] | string;
}

/** Thrown for options that select no modules, or layers that the model does not have. */
export class ModuleChoiceError extends Error {
  override readonly name = 'ModuleChoiceError';

  constructor(
    readonly problem: string,
    readonly advice: string,
  ) {
    super(`LoRA: ${problem}\n  ${advice}`);
  }
}

const ALL_LINEAR = 'all-linear';

/** PEFT's default modules by `model_type` (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING). */
const defaultTargets: Readonly<Record<string, readonly string[]>> = {
  gpt2: ['c_attn'],
  gpt_neox: ['query_key_value'],
  falcon: ['query_key_value'],
  deepseek_v3: ['kv_b_proj', 'o_proj'], // not in PEFT's table; the model has no q_proj
  bloom: ['query_key_value'],
  phi: ['q_proj', 'v_proj', 'fc1', 'fc2'],
  phi3: ['qkv_proj'], // not in PEFT's table; the same layers as for the other families
};

/** The default modules of all other families, which are those of PEFT's table as far as it lists these families. */
const otherTargets = ['q_proj', 'v_proj'];

/** Returns the modules that are adapted if `targetModules` is null. */
export const defaultTargetModules = (modelType: string): readonly string[] => defaultTargets[modelType] ?? otherTargets;

/** Returns the rank of one module's adapter, and the factor by which its update B A is scaled. */
export function moduleRank(options: LoraOptions, module: string): { r: number; scale: number } {
  const r = patternValue('rank_pattern', options.rankPattern, module) ?? options.r;
  const alpha = patternValue('alpha_pattern', options.alphaPattern, module) ?? options.alpha;
  return { r, scale: alpha / (options.rankStabilized ? Math.sqrt(r) : r) };
}

function patternValue(field: string, patterns: LoraOptions['rankPattern'] = {}, module: string): number | undefined {
  const found = Object.keys(patterns).find((pattern) => endMatcher(pattern, `${field} has a key that`)(module));
  return found === undefined ? undefined : patterns[found];
}

/** Checks the ranges of the options' numbers. @throws RangeError, which names the option */
export function checkLoraOptions({ r, alpha, dropout, rankPattern = {}, alphaPattern = {} }: LoraOptions): void {
  for (const [where, rank] of Object.entries({ ...under('rank_pattern', rankPattern), r }))
    if (!Number.isInteger(rank) || rank < 1)
      throw new RangeError(`LoRA: ${where} is ${rank}; it must be a positive integer`);
  for (const [where, factor] of Object.entries({ ...under('alpha_pattern', alphaPattern), alpha }))
    if (!(Number.isFinite(factor) && factor > 0))
      throw new RangeError(`LoRA: ${where} is ${factor}; it must be above 0`);
  if (!(dropout >= 0 && dropout < 1)) throw new RangeError(`LoRA: dropout is ${dropout}; it must be in [0, 1)`);
}

const under = (field: string, patterns: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(patterns).map(([pattern, value]) => [`${field}['${pattern}']`, value]));

/**
 * Finds the modules that are adapted, in the model's order.
 *
 * @param inside paths of all linear layers except the output head
 * @param experts paths of the experts' layers, which cannot be adapted
 * @param heads the output head's path, if it is not tied
 */
export function targetedModules(
  options: LoraOptions,
  modelType: string,
  { inside, heads, experts = [] }: Record<'inside' | 'heads', readonly string[]> & { experts?: readonly string[] },
): string[] {
  const { targetModules, mayNameAbsent = false } = options;
  if (targetModules === ALL_LINEAR) return withoutExcluded(options, inside);
  const wanted = targetModules ?? defaultTargetModules(modelType);
  const known = [...inside, ...heads];
  const targets = typeof wanted === 'string' ? [targetOf(wanted)] : wanted.map(nameOf);
  const found = known.filter((path) => targets.some(({ matches }) => matches(path)));
  const idleTargets = targets.filter(({ matches }) => !known.some(matches));
  const idle = idleTargets.map(({ name }) => name);
  const expert = experts.find((path) => idleTargets.some(({ matches }) => matches(path)));
  if (expert !== undefined)
    throw new Error(
      [
        `LoRA: '${idle.join("', '")}' names layers of experts, such as '${expert}'`,
        "  transformers keeps the weights of all experts in one 3-D parameter, which PEFT's target_modules do not reach",
        '  name layers of the attention or of shared experts in target_modules',
      ].join('\n'),
    );
  if (found.length === 0 || (idle.length > 0 && !mayNameAbsent)) {
    const endings = [...new Set(known.map((path) => path.slice(path.lastIndexOf('.') + 1)))];
    throw new Error(
      [
        `LoRA: no linear layer of this ${modelType} is called '${idle.join("', '")}'`,
        `  its linear layers are ${endings.join(', ')}`,
        `  name some of them in target_modules, or write ${ALL_LINEAR}`,
      ].join('\n'),
    );
  }
  const isChosen = layerChoice(options, [...known, ...experts]);
  const chosen = found.filter((path) => (Array.isArray(wanted) && wanted.includes(path)) || isChosen(path));
  if (chosen.length === 0)
    throw new ModuleChoiceError(
      `layers_to_transform is ${JSON.stringify(options.layersToTransform)}, and these layers have none of target_modules`,
      'name modules of these layers in target_modules, or other layers in layers_to_transform',
    );
  return withoutExcluded(options, chosen);
}

/** Returns the modules without those that exclude_modules names. As in PEFT, an entry that matches none is not an error. */
function withoutExcluded({ excludeModules = [] }: LoraOptions, modules: readonly string[]): string[] {
  const excluded =
    typeof excludeModules === 'string' ? [fullMatcher(excludeModules, 'exclude_modules')] : excludeModules.map(endsIn);
  const rest = modules.filter((path) => !excluded.some((matches) => matches(path)));
  if (rest.length > 0) return rest;
  throw new ModuleChoiceError(
    `exclude_modules is ${JSON.stringify(excludeModules)}, which excludes every module that is targeted`,
    'exclude fewer modules, or target more in target_modules',
  );
}

/** Makes a predicate for the modules that layers_to_transform selects. @param paths the paths of all linear layers */
function layerChoice(
  { layersToTransform, layersPattern = [], mayNameAbsent = false }: LoraOptions,
  paths: readonly string[],
): (path: string) => boolean {
  if (layersToTransform === undefined) return () => true;
  const finders = layersPattern.map((pattern) => layerIndexFinder(pattern, 'layers_pattern'));
  const indexOf = (path: string): number | undefined => {
    // Without `layersPattern`, the layer's index is the first number among the path's segments; an expert's follows later.
    if (finders.length === 0) return numberIn(/^.*?\.[^.]*\.(\d+)\./.exec(path)?.[1]);
    for (const find of finders) {
      const index = find(path);
      if (index !== undefined) return index;
    }
    return undefined;
  };
  const indexes = new Set(paths.map(indexOf).filter((index) => index !== undefined));
  if (indexes.size === 0)
    throw new ModuleChoiceError(
      `layers_pattern is ${JSON.stringify(layersPattern)}, and no module has such a name with a number behind it`,
      `the model's modules are called as '${paths[0]}'; without layers_pattern any list of layers counts`,
    );
  const missing = layersToTransform.find((index) => !indexes.has(index));
  if (missing !== undefined && !mayNameAbsent)
    throw new ModuleChoiceError(
      `layers_to_transform has ${missing}, and the model has no such layer`,
      `its layers are ${minimum([...indexes])} to ${maximum([...indexes])}`,
    );
  return (path) => layersToTransform.includes(indexOf(path)!);
}

const numberIn = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));

/** An entry of target_modules or exclude_modules, and whether it matches the path of a module. */
interface Target {
  name: string;
  matches: (path: string) => boolean;
}

/** Makes a target from a value that is a single string: a Python regular expression for a module's whole path. */
const targetOf = (name: string): Target => ({ name, matches: fullMatcher(name, 'target_modules') });

/** Makes a target from an entry of a list, which is a module's path or the end of a path. */
const nameOf = (name: string): Target => ({ name, matches: endsIn(name) });

const endsIn = (name: string) => (path: string) => path === name || path.endsWith(`.${name}`);
