// Builds a mixture of experts as the feed-forward layer of a decoder's block.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { activate, type ActivationName } from '../layers/activations.js';
import { mixtureOfExperts, route, type RouterForm } from '../layers/mixture-of-experts.js';
import type { Layer, Part } from './parts.js';

/** The router: its parameters, and how its logits select experts. Its products are in float32, whatever the type of the weights. */
interface Router extends Omit<RouterForm, 'choiceBias' | 'expertScale'> {
  /** The names of its parameters; the weight is [experts, width]. */
  weight: string;
  /** Another name of the weight in checkpoints. */
  alias?: string;
  /** The bias of the logits. */
  bias?: string;
  /** The transform of the router's input; none if not given. */
  reads?: Layer;
  /** [experts] factors of the experts' results. */
  expertScale?: string;
  /** [experts] biases of the selection, a buffer, which training does not change. */
  choiceBias?: string;
}

/** The weights of all experts, and the functions that apply them. */
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
  /** The transform of the experts' input; none if not given. */
  reads?: Layer;
  /** A shared expert, which every row goes through. */
  shared?: Part;
}

/** Builds the layer: the router selects experts for each row, whose results are summed with weights. */
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
  /** The names of an expert's three weights in published checkpoints. */
  names?: { gate: string; up: string; down: string };
  /** The module's path in checkpoints of transformers 5, which keep all experts in one tensor, if it is different. */
  jointPath?: string;
  count: number;
  width: number;
  inner: number;
  activation: ActivationName;
  standardDeviation: number;
  /** Whether models are saved with all experts in one tensor. */
  savedJointly?: boolean;
}

const commonNames = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };

/**
 * Builds down(activation(gate(x)) · up(x)) for each expert. Checkpoints have one tensor per expert and weight, or the joint
 * tensors `gate_up_proj` and `down_proj`.
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
