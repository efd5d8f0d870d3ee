// The options of LoRA, and which modules of a model it adapts: PEFT's names and rules.
// Source: Hu et al. 2021, arXiv:2106.09685; https://huggingface.co/docs/peft/package_reference/lora

import { endMatcher, fullMatcher } from './python-pattern.js';

export interface LoraOptions {
  /** Rank of the update. */
  r: number;
  /** The update is scaled by alpha / r. */
  alpha: number;
  /**
   * Whether the update is scaled by alpha / √r instead (rsLoRA: Kalajdzievski 2023, arXiv:2312.03732); false if not
   * given.
   */
  rankStabilized?: boolean;
  /** Ranks of some modules: by a regular expression for a path's end, of which the first that matches counts. */
  rankPattern?: Readonly<Record<string, number>>;
  /** The same for alpha. */
  alphaPattern?: Readonly<Record<string, number>>;
  /** Whether magnitude and direction are trained apart (DoRA: Liu et al. 2024, arXiv:2402.09353); false if not given. */
  usesMagnitudes?: boolean;
  /** Share of the adapter's input that is dropped in training. */
  dropout: number;
  /**
   * Names of modules (`q_proj`, or a path's end such as `attn.c_proj`), a regular expression for whole paths, or
   * 'all-linear' for every linear layer but the output head. null: what PEFT takes for this architecture.
   */
  targetModules: readonly string[] | string | null;
}

const ALL_LINEAR = 'all-linear';

/** PEFT's default (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING). */
const defaultTargets: Readonly<Record<string, readonly string[]>> = {
  gpt2: ['c_attn'],
  gpt_neox: ['query_key_value'],
  falcon: ['query_key_value'],
  deepseek_v3: ['kv_b_proj', 'o_proj'], // PEFT has no row for it either, and there is no q_proj
  bloom: ['query_key_value'],
  phi: ['q_proj', 'v_proj', 'fc1', 'fc2'],
  phi3: ['qkv_proj'], // PEFT has no row for it, and asks for a choice; these are the layers that the others adapt
};

/** All other families have the same in PEFT's rows, where they have one. */
const otherTargets = ['q_proj', 'v_proj'];

/** Returns the target modules if the config has null. */
export const defaultTargetModules = (modelType: string): readonly string[] => defaultTargets[modelType] ?? otherTargets;

/** Returns the rank of one module's adapter, and the factor of its B A. */
export function moduleRank(options: LoraOptions, module: string): { r: number; scale: number } {
  const r = patternValue('rank_pattern', options.rankPattern, module) ?? options.r;
  const alpha = patternValue('alpha_pattern', options.alphaPattern, module) ?? options.alpha;
  return { r, scale: alpha / (options.rankStabilized ? Math.sqrt(r) : r) };
}

function patternValue(field: string, patterns: LoraOptions['rankPattern'] = {}, module: string): number | undefined {
  const found = Object.keys(patterns).find((pattern) => endMatcher(pattern, `${field} has a key that`)(module));
  return found === undefined ? undefined : patterns[found];
}

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
 * @param inside paths of the linear layers before the output head
 * @param experts paths of the experts' layers, which cannot be adapted
 * @param heads path of the output head, where it has a weight of its own
 */
export function targetedModules(
  { targetModules }: LoraOptions,
  modelType: string,
  { inside, heads, experts = [] }: Record<'inside' | 'heads', readonly string[]> & { experts?: readonly string[] },
): string[] {
  if (targetModules === ALL_LINEAR) return [...inside];
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
  if (found.length === 0 || idle.length > 0) {
    const endings = [...new Set(known.map((path) => path.slice(path.lastIndexOf('.') + 1)))];
    throw new Error(
      [
        `LoRA: no linear layer of this ${modelType} is called '${idle.join("', '")}'`,
        `  its linear layers are ${endings.join(', ')}`,
        `  name some of them in target_modules, or write ${ALL_LINEAR}`,
      ].join('\n'),
    );
  }
  return found;
}

interface Target {
  name: string;
  matches: (path: string) => boolean;
}

/** Makes a target of one string, a regular expression of Python's for the whole path. */
const targetOf = (name: string): Target => ({ name, matches: fullMatcher(name, 'target_modules') });

/** Makes a target of a list's entry, which names a whole path or its end. */
const nameOf = (name: string): Target => ({
  name,
  matches: (path) => path === name || path.endsWith(`.${name}`),
});
