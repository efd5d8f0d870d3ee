// Defines the data that the HTML pages about runs show (reports, comparisons, the dashboard), as plain JSON. The package `runner`
// makes the data from a run's files, and the code in `web/` draws them in the browser.

/**
 * The state of a run. `interrupted`: its process ended without writing that the run has ended, or the user stopped it. `stopped
 * by the guard`: the guard, which checks training metrics, stopped it because its policy had collapsed.
 */
export type RunStatus = 'running' | 'finished' | 'interrupted' | 'stopped by the guard' | 'failed';

/** A label with its value, such as the number of iterations, which a page shows below its title. */
export interface Fact {
  label: string;
  value: string;
}

/**
 * A metric over the course of a run. If there are more rows than a page draws, each point is the mean of a bucket of successive
 * rows.
 */
export interface MetricSeries {
  key: string;
  /** The index in `MetricTable.axes` of the list with the x position of each value. */
  axis: number;
  /** null where the metric has no value */
  values: (number | null)[];
  /** The smallest and the largest value in each bucket of rows; absent if every row is a point of its own. */
  low?: (number | null)[];
  high?: (number | null)[];
}

export interface MetricTable {
  /** The unit of the x axis: `iteration` or `optimizer step`. */
  xLabel: string;
  /** The lists of x positions. Metrics that have values in the same rows share a list. */
  axes: number[][];
  series: MetricSeries[];
  rows: number;
}

export interface ChartSpec {
  title: string;
  keys: readonly string[];
  /** The unit of the y axis, such as `nats`. */
  unit?: string;
  /** The unit of the x axis, if it differs from that of the `MetricTable`. */
  xLabel?: string;
  note?: string;
  /** Horizontal reference lines, such as a known optimum. */
  references?: readonly { name: string; value: number }[];
}

export interface Table {
  title: string;
  header: readonly string[];
  /** The cells as text. The first cell of a row is the row's name. */
  rows: readonly (readonly string[])[];
  notes?: readonly string[];
  /** Whether the page shows only the table's title until the reader opens it. */
  folded?: boolean;
}

export interface Warning {
  /** How serious the warning is. `bad`: the run failed, or its metrics are unreliable; `look`: the reader should look at it. */
  level: 'bad' | 'look';
  title: string;
  text: string;
}

/** The phase of a run in which an episode was played: for training, in an evaluation, or in the final test. */
export type EpisodeSource = 'rollout' | 'eval' | 'test';

/** One episode in a list, without its texts. */
export interface EpisodeSummary {
  /** The id of the episode within the run, such as `rollout/120`. */
  id: string;
  source: EpisodeSource;
  /** The iteration of the training loop, from 1; 0 for runs that train nothing. */
  iteration: number;
  episode: number;
  /** The seed with which the environment was reset for the episode. */
  seed: number;
  /**
   * The item that was played, such as a task or a hidden word. Episodes of the same item can be compared. null if the environment
   * does not name one.
   */
  item: string | null;
  /** The name of the policy that played; absent if there is only one. */
  policy?: string;
  return: number;
  turnCount: number;
  /** null if the environment does not report whether the agent has won */
  won: boolean | null;
  /** The largest absolute TD error among the episode's turns; null if the run has no values from a critic. */
  surprise: number | null;
}

export interface TokenText {
  text: string;
  /** The natural logarithm of the token's probability under the policy that sampled it. */
  logprob: number;
}

export interface ShownTurn {
  /** The environment's text that is new in the agent's prompt of this turn. */
  observation: string;
  action: string;
  reward: number;
  /** The critic's value of the utterance (the agent's text of this turn), min(Q₁, Q₂). */
  q?: number;
  /** The critic's value of the state before the utterance: min(V₁, V₂), or V if there is only one. */
  v?: number;
  /** The advantage on which the policy was trained; if none was recorded, Q − V. */
  advantage?: number;
  /** The TD error r + γ V(s′) − Q(s, a); without Q: r + γ V(s′) − V(s). */
  tdError?: number;
  /** The natural logarithm of the utterance's probability under the policy that sampled it. */
  logprob?: number;
  /** −log p per sampled token, in nats. Its mean over utterances estimates the policy's entropy; a single value does not. */
  surprisal?: number;
  tokens?: TokenText[];
  validActions?: string[];
  /** The valid actions with the largest Q values, best first. */
  preferred?: { action: string; q: number }[];
  /** The ids of the examples that a memory of earlier episodes put into the prompt. */
  retrieved?: string[];
  /** Whether the environment could not interpret the action. */
  invalid?: boolean;
}

export interface ToolCall {
  name: string;
  /** The arguments of the call as JSON text. */
  arguments: string;
  /** Absent if no later prompt of the model contains the result. */
  result?: string;
  /** Whether the result of the tool is an error, or the call could not be parsed. */
  failed: boolean;
}

/**
 * One answer of the language model in the call tree of an agent's rollout. A rollout is a run of the agent's program, which may
 * call the model several times.
 */
export interface TreeCall {
  /** The number of the call in the rollout, counted from 0 in the order of time. */
  call: number;
  /** The index of this answer among several answers to the same call. */
  choice: number;
  /** The index of the earlier answer that this call's prompt continues; null if it continues none. */
  parent: number | null;
  /** The messages of the prompt that were not in the prompt which it continues. */
  read: { speaker: string; text: string }[];
  reasoning?: string;
  said: string;
  tools: ToolCall[];
  promptTokens: number;
  /** The number of tokens in the prompt after those of the answer that it continues. */
  newTokens: number;
  answerTokens: number;
  /** The index of the answer's turn in the episode; absent if the policy is not trained on the answer. */
  turn?: number;
  rewards: { name: string; value: number }[];
  /** Remarks on the call, such as `not delivered`, `auxiliary`, `retry 2`, `cut by its limit`. */
  marks: string[];
}

/**
 * The calls of the language model in one rollout of an agent, as a tree in which a call is below the answer that its prompt
 * continues.
 */
export interface CallTree {
  /** The rewards of the whole rollout, by name. */
  rewards: { name: string; value: number }[];
  metrics: { name: string; value: number }[];
  status: string;
  /** The answers in the order of time, so that a parent comes before its children. */
  calls: TreeCall[];
}

/** A whole episode, with the texts of its turns. */
export interface Dialogue extends EpisodeSummary {
  /** The calls of an agent's rollout; absent if the episode was played in an environment. */
  tree?: CallTree;
  /** The reasons why this episode was selected for the page, such as `worst` or `most surprising`. */
  reasons: string[];
  turns: ShownTurn[];
  ending: string;
}

/** A text that a fine-tuned model has continued, and the reference continuation. */
export interface SampleAnswer {
  prompt: string;
  reference: string;
  answer: string;
}

export interface RunData {
  kind: 'run';
  /** The name of the run, or, if it has none, of its environment. */
  title: string;
  status: RunStatus;
  facts: Fact[];
  warnings: Warning[];
  tables: Table[];
  /** Tables about the rewards, lengths, groups and tools of an agent's rollouts; absent for runs in environments. */
  audit?: readonly Table[];
  /** Sample answers of a fine-tuned language model; absent for other runs. */
  answers?: readonly SampleAnswer[];
  metrics: MetricTable;
  charts: ChartSpec[];
  /** The list of episodes, which may be shortened; `episodeCount` is the number of all episodes. */
  episodes: EpisodeSummary[];
  episodeCount: number;
  /** Whole episodes that were selected: the best, the worst, the most surprising and the last. */
  dialogues: Dialogue[];
  config: string;
  /** Notes on the run's files, such as an incomplete last line that was dropped. */
  notes: string[];
}

/** The line of a setting in a comparison of runs: the mean over its seeds, with an interval. */
export interface BandSeries {
  setting: string;
  x: number[];
  mean: (number | null)[];
  /** The ends of the interval around the line; null where only one run of the setting has a value. */
  low: (number | null)[];
  high: (number | null)[];
}

export interface BandChart {
  title: string;
  xLabel: string;
  unit?: string;
  series: BandSeries[];
}

/** A run in the dashboard's list of runs. */
export interface RunSummary {
  /** The path of the run's folder, relative to the folder whose runs are listed. */
  id: string;
  title: string;
  status: RunStatus;
  /** Whether the run's process still exists, but is paused. */
  paused: boolean;
  seed: number | null;
  iteration: number | null;
  iterations: number | null;
  /** The mean return of the latest evaluation; without one, of the latest rollout. */
  return: number | null;
  winRate: number | null;
  /** The time at which the run's metrics last changed, in milliseconds since 1970. */
  changed: number;
}

export interface ComparisonData {
  kind: 'comparison';
  title: string;
  facts: Fact[];
  /** The results of the comparison in sentences: which setting is better, by how much, and how certain this is. */
  verdicts: string[];
  warnings: Warning[];
  tables: Table[];
  charts: BandChart[];
  /** The same episode as two runs played it, shown side by side. */
  pairs: { title: string; sides: Dialogue[] }[];
  notes: string[];
}

export type PageData = RunData | ComparisonData;
