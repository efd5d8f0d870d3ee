// Defines the data of the pages, as plain JSON. The runner makes it from a run's files, and the code below `web/` draws it.

/** The state of a run. `interrupted`: its process ended without a record of its end, or the user stopped it. */
export type RunStatus = 'running' | 'finished' | 'interrupted' | 'stopped by the guard' | 'failed';

/** A label and its value, at the top of a page. */
export interface Fact {
  label: string;
  value: string;
}

/** A metric over a run. If there are more rows than a page draws, each point is the mean of a bucket of rows. */
export interface MetricSeries {
  key: string;
  /** The index of its x positions in `MetricTable.axes`. */
  axis: number;
  /** null where the metric has no value */
  values: (number | null)[];
  /** The smallest and the largest value of each bucket; absent if every row is a point. */
  low?: (number | null)[];
  high?: (number | null)[];
}

export interface MetricTable {
  /** The unit of the x axis: `iteration` or `optimizer step`. */
  xLabel: string;
  /** Lists of x positions. Several metrics may share one. */
  axes: number[][];
  series: MetricSeries[];
  rows: number;
}

/** A chart of the metrics with these keys. */
export interface ChartSpec {
  title: string;
  keys: readonly string[];
  /** The unit of the y axis, such as `nats`. */
  unit?: string;
  /** The unit of the x axis, if it differs from the table's. */
  xLabel?: string;
  note?: string;
  /** Horizontal lines, such as a known optimum. */
  references?: readonly { name: string; value: number }[];
}

export interface Table {
  title: string;
  header: readonly string[];
  /** The cells as text. The first cell of a row is its name. */
  rows: readonly (readonly string[])[];
  notes?: readonly string[];
  /** Whether the table is folded at first. */
  folded?: boolean;
}

export interface Warning {
  /** `bad`: the run failed, or its metrics are unreliable; `look`: worth a look. */
  level: 'bad' | 'look';
  title: string;
  text: string;
}

/** The phase in which an episode was played. */
export type EpisodeSource = 'rollout' | 'eval' | 'test';

/** One episode in a list. */
export interface EpisodeSummary {
  /** The id within the run, such as `rollout/120`. */
  id: string;
  source: EpisodeSource;
  /** The iteration of the outer loop, from 1; 0 where nothing is trained. */
  iteration: number;
  episode: number;
  /** The seed with which the environment was reset. */
  seed: number;
  /** The item that was played; episodes of the same item can be compared. null if the environment gives none. */
  item: string | null;
  /** The policy that played, if there are several. */
  policy?: string;
  return: number;
  turnCount: number;
  /** null if the environment does not report it */
  won: boolean | null;
  /** The largest |TD error| of the turns; null without a critic's values. */
  surprise: number | null;
}

export interface TokenText {
  text: string;
  /** Natural logarithm of its probability under the sampling policy. */
  logprob: number;
}

export interface ShownTurn {
  /** The new text of the environment in the agent's prompt. */
  observation: string;
  action: string;
  reward: number;
  /** min(Q₁, Q₂) of the utterance. */
  q?: number;
  /** min(V₁, V₂), or V, before the utterance. */
  v?: number;
  /** The advantage that the policy was trained on, or Q − V. */
  advantage?: number;
  /** r + γ V(s′) − Q(s, a); without Q: r + γ V(s′) − V(s). */
  tdError?: number;
  /** Natural logarithm of the utterance's probability. */
  logprob?: number;
  /** −log p per sampled token, in nats. Its mean over utterances estimates the policy's entropy; a single value does not. */
  surprisal?: number;
  tokens?: TokenText[];
  validActions?: string[];
  /** The valid actions with the largest values, best first. */
  preferred?: { action: string; q: number }[];
  /** The ids of the examples that a memory put into the prompt. */
  retrieved?: string[];
  /** Whether the environment did not understand the action. */
  invalid?: boolean;
}

/** A tool call in an answer. */
export interface ToolCall {
  name: string;
  /** The arguments as JSON. */
  arguments: string;
  /** The result; absent if no later call of the model contains it. */
  result?: string;
  /** Whether the result is an error, or the call could not be parsed. */
  failed: boolean;
}

/** One answer of the model in the tree of an agent's rollout. */
export interface TreeCall {
  /** The number of the call in the rollout, from 0 in the order of time. */
  call: number;
  /** The index among the answers to this call. */
  choice: number;
  /** The index of the answer that its prompt continues; null if there is none. */
  parent: number | null;
  /** The new messages of its prompt. */
  read: { speaker: string; text: string }[];
  reasoning?: string;
  said: string;
  tools: ToolCall[];
  promptTokens: number;
  /** The number of prompt tokens after those of the answer that it continues. */
  newTokens: number;
  answerTokens: number;
  /** The index of its turn in the episode; absent if it is not trained on. */
  turn?: number;
  rewards: { name: string; value: number }[];
  /** Remarks such as `not delivered`, `auxiliary`, `retry 2`, `cut by its limit`. */
  marks: string[];
}

/** The calls of the model in one rollout of an agent, as a tree. */
export interface CallTree {
  /** The rewards of the whole rollout, by name. */
  rewards: { name: string; value: number }[];
  metrics: { name: string; value: number }[];
  status: string;
  /** Sorted by time, so that a parent comes before its children. */
  calls: TreeCall[];
}

/** A whole episode. */
export interface Dialogue extends EpisodeSummary {
  /** The calls of an agent's rollout; absent for an episode of an environment. */
  tree?: CallTree;
  /** The reasons why the page shows it, such as `worst` or `most surprising`. */
  reasons: string[];
  turns: ShownTurn[];
  ending: string;
}

/** A text that a model continued, and the reference continuation. */
export interface SampleAnswer {
  prompt: string;
  reference: string;
  answer: string;
}

export interface RunData {
  kind: 'run';
  /** The run's name, or else that of its environment. */
  title: string;
  status: RunStatus;
  facts: Fact[];
  warnings: Warning[];
  tables: Table[];
  /** Tables about the rewards, lengths, groups and tools of an agent's run; absent for environments. */
  audit?: readonly Table[];
  /** The sample answers of a fine-tuned model; absent if there are none. */
  answers?: readonly SampleAnswer[];
  metrics: MetricTable;
  charts: ChartSpec[];
  /** The episodes of a list, which may be shortened; `episodeCount` is the number of all. */
  episodes: EpisodeSummary[];
  episodeCount: number;
  /** Selected whole episodes: best, worst, most surprising, last. */
  dialogues: Dialogue[];
  config: string;
  /** Notes on the run's files, such as an incomplete last line that was dropped. */
  notes: string[];
}

/** A line with its interval over the seeds of a setting. */
export interface BandSeries {
  setting: string;
  x: number[];
  mean: (number | null)[];
  /** The ends of the interval; null where only one run has a value. */
  low: (number | null)[];
  high: (number | null)[];
}

export interface BandChart {
  title: string;
  xLabel: string;
  unit?: string;
  series: BandSeries[];
}

/** A run in a list of many. */
export interface RunSummary {
  /** The path of its folder, relative to that of the list. */
  id: string;
  title: string;
  status: RunStatus;
  /** Whether a process works on the run and is paused. */
  paused: boolean;
  seed: number | null;
  iteration: number | null;
  iterations: number | null;
  /** The mean return of the latest evaluation, or else of the latest rollout. */
  return: number | null;
  winRate: number | null;
  /** The time of the last change of its metrics, in milliseconds since the epoch. */
  changed: number;
}

export interface ComparisonData {
  kind: 'comparison';
  title: string;
  facts: Fact[];
  /** The result in sentences: which setting is better, by how much, and how certain this is. */
  verdicts: string[];
  warnings: Warning[];
  tables: Table[];
  charts: BandChart[];
  /** The same episode of two runs, side by side. */
  pairs: { title: string; sides: Dialogue[] }[];
  notes: string[];
}

export type PageData = RunData | ComparisonData;
