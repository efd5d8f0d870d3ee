// Builds mixtures of experts: a router selects experts for each row, and each expert multiplies only the rows that selected it.
import { multiplyDims, type GraphBuilder, type Value } from '@bowyer/graph';

/** The experts that the router has selected for each row (token), and the weight of each expert's result. */
interface Routing {
  /** [rows, choices] int64 */
  experts: Value;
  /** [rows, choices] */
  weights: Value;
}

/** The rule by which a router selects experts and weights from its logits [rows, experts]. */
export interface RouterForm {
  /** The number of experts per row. */
  choices: number;
  /**
   * The rule for weights: the largest of the softmax over all experts (Mixtral: arXiv:2401.04088, section 2.1; Qwen 3), the
   * softmax over the largest logits (gpt-oss), or sigmoids (DeepSeek V3: arXiv:2412.19437, section 2.1.2).
   */
  scores: 'softmax' | 'softmax-of-chosen' | 'sigmoid';
  /** If given, the selected weights are divided by their sum plus `epsilon`. */
  normalize?: { epsilon: number };
  /** Factor of the weights; 1 if not given. */
  scale?: number;
  /** [experts] further factors of the selected experts' weights. */
  expertScale?: Value;
  /** [experts] numbers that are added to the scores for the selection only; they have no gradient. */
  choiceBias?: Value;
  /**
   * If given, experts form `count` groups of equal size, and only those of the `chosen` best groups can be selected, ranked by the sum
   * of a group's two best scores.
   */
  groups?: { count: number; chosen: number };
}

/** The score of an excluded expert, below any other. */
const EXCLUDED = -1e9;

/** Selects each row's experts and their weights. @param logits [rows, experts] */
export function route(g: GraphBuilder, logits: Value, form: RouterForm): Routing {
  if (form.scores === 'softmax-of-chosen') {
    const [best, experts] = g.topK(logits, form.choices, 1);
    return { experts, weights: g.softmax(best) };
  }
  const scores = form.scores === 'sigmoid' ? g.sigmoid(logits) : g.softmax(logits);
  const [, experts] = g.topK(g.stopGradient(scoresForChoice(g, scores, form)), form.choices, 1);
  let weights = g.gatherElements(scores, experts, 1);
  if (form.normalize) {
    const sum = g.reduceSum(weights, { axes: [1], keepdims: true });
    weights = g.div(weights, form.normalize.epsilon > 0 ? g.add(sum, form.normalize.epsilon) : sum);
  }
  if (form.expertScale) {
    const flat = g.gather(form.expertScale, g.reshape(experts, [-1]), 0);
    weights = g.mul(weights, g.reshape(flat, weights.shape));
  }
  return { experts, weights: form.scale === undefined ? weights : g.mul(weights, form.scale) };
}

/** Computes the scores by which experts are selected: `scores` plus the bias, and very negative in excluded groups. */
function scoresForChoice(g: GraphBuilder, scores: Value, { choiceBias, groups }: RouterForm): Value {
  const biased = choiceBias ? g.add(scores, choiceBias) : scores;
  if (!groups || groups.chosen === groups.count) return biased;
  const [rows, experts] = biased.shape;
  const perGroup = (experts as number) / groups.count;
  const grouped = g.reshape(biased, [rows, groups.count, perGroup]);
  const [best] = g.topK(grouped, Math.min(2, perGroup), 2);
  const [, chosen] = g.topK(g.reduceSum(best, { axes: [2] }), groups.chosen, 1);
  const takesPart = g.reduceSum(g.oneHot(chosen, groups.count), { axes: [1] });
  const masked = g.where(g.greater(g.unsqueeze(takesPart, 2), 0.5), grouped, EXCLUDED);
  return g.reshape(masked, biased.shape);
}

/** Computes an expert's first and last products; the activation between them is computed once for the rows of all experts. */
interface Experts {
  count: number;
  /** Computes one expert's first products: [its rows, width] → [its rows, inner] each. */
  project(expert: number, rows: Value): Value[];
  /** Applies the activation to the first products of all experts' rows → [rows · choices, inner]. */
  activate(projected: Value[]): Value;
  /** Computes one expert's last product: [its rows, inner] → [its rows, width]. */
  output(expert: number, rows: Value): Value;
}

/**
 * Computes Σ weight · expert(row) over each row's selected experts. Rows are sorted by expert, so that each expert's rows are
 * contiguous; only selected experts compute anything.
 *
 * @param x [rows, width]
 * @returns [rows, width]
 */
export function mixtureOfExperts(g: GraphBuilder, x: Value, { experts, weights }: Routing, mixture: Experts): Value {
  const [rows, choices] = experts.shape as [number | string, number];
  const total = multiplyDims(rows, choices);
  const chosen = g.reshape(experts, [total]);
  const rank = (keys: Value) => g.topK(keys, g.dimsTensor([total]), 0, { largest: false, dim: total })[1];
  const order = rank(chosen);
  const ones = g.full(1, [total]);
  const counts = g.scatterElementsAdd(g.runtimeZeros([mixture.count], 'float32', chosen), chosen, ones, 0);
  const pieces = g.partition(total, g.cast(counts, 'int64'));
  const joined = (parts: Value[]) => g.concat(parts, 0);

  const sorted = g.gather(x, g.div(order, choices), 0);
  const projected = g.split(sorted, 0, pieces).map((part, expert) => mixture.project(expert, part));
  const inner = mixture.activate(projected[0].map((_, which) => joined(projected.map((parts) => parts[which]))));
  const results = joined(g.split(inner, 0, pieces).map((part, expert) => mixture.output(expert, part)));
  const perChoice = g.reshape(g.gather(results, rank(order), 0), [rows, choices, results.dim(1)]);
  return g.reduceSum(g.mul(perChoice, g.unsqueeze(weights, 2)), { axes: [1] });
}
