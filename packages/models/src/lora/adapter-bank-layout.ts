// Lays out a bank, the tensors that hold several LoRA adapters of one frozen base model: the weights that have adapters, and the
// shapes.
//
// A place is the part of the bank that holds one adapter. For each adapted weight, the A of all places are stacked as [places · rank, in],
// and the B, transposed and scaled, as [places · rank, out]. The adapter at place p has the rows p · rank to p · rank + r of both, followed
// by zeros. Each row of a batch uses only its own adapter (adapter-bank-graph.ts).
//
// Source: Sheng et al. 2023 (S-LoRA, arXiv:2311.03285) and Chen et al. 2023 (Punica, arXiv:2310.18547) batch adapters over one base;
// stacking them along the rank needs no custom operator.
import type { CausalArchitecture } from '../architecture/architecture.js';
import { linearWeights } from '../architecture/linear-weights.js';
import { targetedModules, type LoraOptions } from './lora-options.js';

interface BankSizes {
  /** The number of adapters that can be loaded at the same time. */
  places: number;
  /** The largest rank of an adapter, for which each place has room. */
  rank: number;
}

/** The A and B of all adapters for one base weight, which are stacked in two tensors. */
export interface BankWeight {
  /** The names of the two stacked tensors. */
  a: string;
  b: string;
  inputs: number;
  outputs: number;
}

export interface BankLayout extends BankSizes {
  /** The stacked tensors by the name of the base weight that they change. */
  weights: ReadonlyMap<string, BankWeight>;
}

/** The value of `targets` that selects every linear layer, including an untied output head. */
export const ALL_LAYERS = 'all';

/**
 * Computes the layout of a bank.
 *
 * @param targets the modules that the bank's adapters may change (see `LoraOptions.targetModules`); other layers get no tensors
 * @throws if a target names a layer that the architecture does not have, or one of an expert
 */
export function bankLayout(
  architecture: CausalArchitecture,
  { places, rank }: BankSizes,
  targets: readonly LoraOptions['targetModules'][] | typeof ALL_LAYERS,
): BankLayout {
  for (const [name, value] of Object.entries({ places, rank }))
    if (!Number.isInteger(value) || value < 1)
      throw new RangeError(`AdapterBank: ${name} is ${value}; it must be a positive integer`);
  const { inside, experts, heads } = linearWeights(architecture);
  const paths = (weights: string[]) => weights.map((weight) => weight.replace(/\.weight$/, ''));
  const known = { inside: paths(inside), heads: paths(heads), experts: paths(experts) };
  const modelType = String(architecture.config.model_type);
  const targeted = new Set(
    targets === ALL_LAYERS
      ? [...known.inside, ...known.heads]
      : targets.flatMap((targetModules) =>
          targetedModules({ r: rank, alpha: rank, dropout: 0, targetModules }, modelType, known),
        ),
  );
  const weights = architecture.parameters.flatMap(({ name, shape: [outputs, inputs] }): [string, BankWeight][] => {
    const module = name.replace(/\.weight$/, '');
    if (!targeted.has(module)) return [];
    return [[name, { a: `${module}.adapters_A`, b: `${module}.adapters_B`, inputs, outputs }]];
  });
  return { places, rank, weights: new Map(weights) };
}

/** Returns the names and shapes of the bank's tensors. */
export function bankShapes({ places, rank, weights }: BankLayout): Record<string, number[]> {
  const stacks = [...weights.values()].flatMap(({ a, b, inputs, outputs }): [string, number[]][] => [
    [a, [places * rank, inputs]],
    [b, [places * rank, outputs]],
  ]);
  return Object.fromEntries(stacks);
}
