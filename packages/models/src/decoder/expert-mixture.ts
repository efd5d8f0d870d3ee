// Builds a mixture of experts, as the feed-forward layer of a decoder's block.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { activate, type ActivationName } from '../layers/activations.js';
import { mixtureOfExperts, route, type RouterForm } from '../layers/mixture-of-experts.js';
import type { Layer, Part } from './parts.js';

/** Describes how a router's logits select experts. It computes in float32, whatever type the model's weights have. */
interface Router extends Omit<RouterForm, 'choiceBias' | 'expertScale'> {
  /** The name of the weight [experts, width] with which the router computes its logits. */
  weight: string;
  /** Another name that checkpoints may use for the weight. */
  alias?: string;
  /** The name of the bias [experts] of the router's logits; none if omitted. */
  bias?: string;
  /** A layer that is applied to the router's input first; none if omitted. */
  reads?: Layer;
  /** The name of a parameter [experts] with factors of the experts' results; none if omitted. */
  expertScale?: string;
  /** The name of a buffer [experts] with biases that affect only the selection of experts; none if omitted. */
  choiceBias?: string;
}

/** The weights of all experts, and the functions that apply an expert to its rows. */
export interface ExpertWeights {
  count: number;
  parameters: readonly ParameterSpec[];
  project(scope: ForwardScope, expert: number, rows: Value): Value[];
  activate(scope: ForwardScope, projected: Value[]): Value;
  output(scope: ForwardScope, expert: number, rows: Value): Value;
}

interface ExpertMixture {
  width: number;
  standardDeviation: number;
  router: Router;
  experts: ExpertWeights;
  /** A layer that is applied to the experts' input first; none if omitted. */
  reads?: Layer;
  /** A shared expert, which computes every row in addition to the selected experts. */
  shared?: Part;
}

/** Builds the mixture: a router selects experts for each row (token), and weights for the sum of their results. */
export function expertMixture({ width, standardDeviation, router, experts, reads, shared }: ExpertMixture): Part {
  const { weight, alias, bias, choiceBias, expertScale, reads: routerReads, ...form } = router;
  const zeros = (name: string): ParameterSpec => ({ name, shape: [experts.count], init: { kind: 'zeros' } });
  const parameters: ParameterSpec[] = [
    { name: weight, shape: [experts.count, width], init: { kind: 'normal', standardDeviation }, alias },
    ...(bias ? [zeros(bias)] : []),
    ...(choiceBias ? [{ ...zeros(choiceBias), isBuffer: true }] : []),
    ...(expertScale ? [{ ...zeros(expertScale), init: { kind: 'ones' } as const }] : []),
    ...(routerReads?.parameters ?? []),
    ...(reads?.parameters ?? []),
    ...experts.parameters,
    ...(shared?.parameters ?? []),
  ];
  return {
    parameters,
    apply(scope, x, place) {
      const { g } = scope;
      const optional = (name?: string) => (name === undefined ? undefined : scope.parameter(name));
      const routed = routerReads ? routerReads.apply(scope, x) : x;
      const logits = g.gemm(routed, scope.parameter(weight), optional(bias), { transB: true });
      const added = optional(choiceBias);
      const routing = route(g, logits, { ...form, choiceBias: added, expertScale: optional(expertScale) });
      const mixed = mixtureOfExperts(g, reads ? reads.apply(scope, x) : x, routing, {
        count: experts.count,
        project: (expert, rows) => experts.project(scope, expert, rows),
        activate: (projected) => experts.activate(scope, projected),
        output: (expert, rows) => experts.output(scope, expert, rows),
      });
      return shared ? g.add(mixed, shared.apply(scope, x, place)) : mixed;
    },
  };
}

interface GatedExperts {
  /** The path of the experts' module, e.g. `model.layers.0.mlp.experts`. */
  path: string;
  /** The names of an expert's three weights in published checkpoints; gate_proj, up_proj and down_proj if omitted. */
  names?: { gate: string; up: string; down: string };
  /** The experts' path in checkpoints of transformers 5, which store all experts in one tensor; `path` if omitted. */
  jointPath?: string;
  count: number;
  width: number;
  inner: number;
  activation: ActivationName;
  standardDeviation: number;
  /** Whether saved models store all experts in one tensor. */
  savedJointly?: boolean;
}

const commonNames = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };

/**
 * Builds the experts down(activation(gate(x)) · up(x)). A checkpoint has either one tensor per expert and weight, or the joint
 * tensors `gate_up_proj` and `down_proj` for all experts.
 */
export function gatedExperts(options: GatedExperts): ExpertWeights {
  const { path, jointPath = path, names = commonNames, count, width, inner, activation, standardDeviation } = options;
  const nameOf = (expert: number, which: keyof typeof commonNames) => `${path}.${expert}.${names[which]}.weight`;
  const { savedJointly: saved } = options;
  const init = { kind: 'normal', standardDeviation } as const;
  const gateAndUp = (index: number, from: number) => ({
    tensor: `${jointPath}.gate_up_proj`,
    count,
    index,
    saved,
    rows: { from, of: 2 * inner },
  });
  const parameters = Array.from({ length: count }, (_, e): ParameterSpec[] => [
    { name: nameOf(e, 'gate'), shape: [inner, width], init, joint: gateAndUp(e, 0) },
    { name: nameOf(e, 'up'), shape: [inner, width], init, joint: gateAndUp(e, inner) },
    {
      name: nameOf(e, 'down'),
      shape: [width, inner],
      init,
      joint: { tensor: `${jointPath}.down_proj`, count, index: e, saved },
    },
  ]).flat();
  return {
    count,
    parameters,
    project: (scope, e, rows) => [
      scope.expertLinear(rows, nameOf(e, 'gate')),
      scope.expertLinear(rows, nameOf(e, 'up')),
    ],
    activate: ({ g }, [gate, up]) => g.mul(activate(g, activation, gate), up),
    output: (scope, e, rows) => scope.expertLinear(rows, nameOf(e, 'down')),
  };
}
