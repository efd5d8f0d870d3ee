// The data of the pages, as plain JSON: made by the runner from a run's files, drawn by the code below `web/`.

/** The state of a run. `interrupted`: its process ended without saying how, or the user stopped it. */
export type RunStatus = 'running' | 'finished' | 'interrupted' | 'stopped by the guard' | 'failed';

/** A label and its value in the head of a page. */
export interface Fact {
  label: string;
  value: string;
}

/** One metric over a run. Where it has more rows than a page draws, each point is the mean of a bucket of rows. */
export interface MetricSeries {
  key: string;
  /** Index into `MetricTable.axes`. */
  axis: number;
  /** Null where there is no figure. */
  values: (number | null)[];
  /** Smallest and largest of each bucket; absent where every row is a point. */
  low?: (number | null)[];
  high?: (number | null)[];
}

export interface MetricTable {
  /** The unit of the axes: `iteration` or `optimizer step`. */
  xLabel: string;
  /** Positions; several metrics share one list. */
  axes: number[][];
  series: MetricSeries[];
  /** Rows of metrics.jsonl. */
  rows: number;
}

/** A chart by the keys of its metrics. */
export interface ChartSpec {
  title: string;
  keys: readonly string[];
  /** The unit of the vertical axis, such as `nats`. */
  unit?: string;
  /** The unit of the horizontal axis, if it is not that of the table. */
  xLabel?: string;
  /** A note for the reader, in a sentence. */
  note?: string;
  /** Horizontal lines, such as a known optimum. */
  references?: readonly { name: string; value: number }[];
}

export interface Table {
  title: string;
  header: readonly string[];
  /** Cells as text; the first of a row names it. */
  rows: readonly (readonly string[])[];
  /** Sentences below. */
  notes?: readonly string[];
  /** Details that a page shows when they are asked for. */
  folded?: boolean;
}

export interface Warning {
  /** `bad`: the run's figures cannot be relied on, or it has failed; `look`: look at it. */
  level: 'bad' | 'look';
  title: string;
  text: string;
}

/** The phase in which an episode was played. */
export type EpisodeSource = 'rollout' | 'eval' | 'test';

/** One episode in a list. */
export interface EpisodeSummary {
  /** Names the episode within its run, such as `rollout/120`. */
  id: string;
  source: EpisodeSource;
  /** The iteration of the outer loop, from 1; 0 where nothing is trained. */
  iteration: number;
  episode: number;
  /** The seed with which the environment was reset. */
  seed: number;
  /** The item that was played: the same in episodes that can be compared; null where the environment names nothing. */
  item: string | null;
  /** The policy that played, where there were several. */
  policy?: string;
  return: number;
  turnCount: number;
  /** Null where the environment does not say. */
  won: boolean | null;
  /** Largest |TD error| over the turns; null without values of a critic. */
  surprise: number | null;
}

export interface TokenText {
  text: string;
  /** Nats, under the policy that sampled. */
  logprob: number;
}

export interface ShownTurn {
  /** The new part of the text that the agent read: the environment's text. */
  observation: string;
  action: string;
  reward: number;
  /** min(Q₁, Q₂) of the utterance. */
  q?: number;
  /** min(V₁, V₂), or V, before the utterance. */
  v?: number;
  /** The advantage that the policy was trained on, or Q − V. */
  advantage?: number;
  /** r + γ V(s′) − Q(s, a), or − V(s) where there is no Q. */
  tdError?: number;
  /** Nats, of the whole utterance. */
  logprob?: number;
  /** −log p per token of what was said, in nats. Its mean over utterances estimates the policy's entropy; one alone does not. */
  surprisal?: number;
  tokens?: TokenText[];
  /** The actions that the environment accepted, where it lists them. */
  validActions?: string[];
  /** Valid actions that the critic values most, best first. */
  preferred?: { action: string; q: number }[];
  /** Ids of the examples that a memory put before the agent. */
  retrieved?: string[];
  /** The environment did not understand the action. */
  invalid?: boolean;
}

/** A call of a tool that an answer made. */
export interface ToolCall {
  name: string;
  /** JSON. */
  arguments: string;
  /** The tool's answer; absent where no later call of the model has it. */
  result?: string;
  /** The result is an error, or the call could not be read. */
  failed: boolean;
}

/** One answer of the model in the tree of an agent's rollout. */
export interface TreeCall {
  /** Counts the calls of the rollout from 0, in the order of time. */
  call: number;
  /** Index of the answer among those to the call. */
  choice: number;
  /** Index of the answer that its prompt continues; null: the prompt continues none. */
  parent: number | null;
  /** Messages that are new in its prompt. */
  read: { speaker: string; text: string }[];
  reasoning?: string;
  said: string;
  tools: ToolCall[];
  promptTokens: number;
  /** Tokens of the prompt that are new against the answer that it continues. */
  newTokens: number;
  answerTokens: number;
  /** Index of its turn in the episode: absent where nothing is learned from it. */
  turn?: number;
  rewards: { name: string; value: number }[];
  /** Remarks such as `not delivered`, `auxiliary`, `retry 2`, `cut by its limit`. */
  marks: string[];
}

/** The calls of the model that an agent made in one rollout, and which continues which. */
export interface CallTree {
  /** The rewards of the rollout as a whole, by name. */
  rewards: { name: string; value: number }[];
  metrics: { name: string; value: number }[];
  /** The status with which it ended. */
  status: string;
  /** In the order of time: a parent comes before its children. */
  calls: TreeCall[];
}

/** A whole episode. */
export interface Dialogue extends EpisodeSummary {
  /** The calls of an agent's rollout; absent for an episode of an environment. */
  tree?: CallTree;
  /** The reason why it is in the page, such as `worst` or `most surprising`. */
  reasons: string[];
  turns: ShownTurn[];
  /** The last text of the environment. */
  ending: string;
}

/** A text that a model continued, and what it was to continue it with. */
export interface SampleAnswer {
  prompt: string;
  reference: string;
  answer: string;
}

export interface RunData {
  kind: 'run';
  /** The run's name; the environment's where it has none. */
  title: string;
  status: RunStatus;
  facts: Fact[];
  warnings: Warning[];
  tables: Table[];
  /** Tables about the rewards, lengths, groups and tools of an agent's run; absent for an environment. */
  audit?: readonly Table[];
  /** The sample answers of a fine-tuned model; absent where there are none. */
  answers?: readonly SampleAnswer[];
  metrics: MetricTable;
  charts: ChartSpec[];
  /** Episodes in a list; `episodeCount` says how many there are. */
  episodes: EpisodeSummary[];
  episodeCount: number;
  /** Whole episodes, chosen: best, worst, most surprising, last. */
  dialogues: Dialogue[];
  /** YAML. */
  config: string;
  /** Notes on the files, such as a torn last line that was dropped. */
  notes: string[];
}

/** A line with its interval, over the seeds of a setting. */
export interface BandSeries {
  /** Name of the setting. */
  setting: string;
  x: number[];
  mean: (number | null)[];
  /** Ends of the interval; null where there is one run. */
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
  /** Path of its folder, relative to the list's. */
  id: string;
  title: string;
  status: RunStatus;
  /** A process works on it and waits. */
  paused: boolean;
  seed: number | null;
  iteration: number | null;
  iterations: number | null;
  /** The latest of evaluations where there are any, else of rollouts. */
  return: number | null;
  winRate: number | null;
  /** Milliseconds since the epoch: the last change of its figures. */
  changed: number;
}

export interface ComparisonData {
  kind: 'comparison';
  title: string;
  facts: Fact[];
  /** The answer in sentences: which is better, by how much, how sure. */
  verdicts: string[];
  warnings: Warning[];
  tables: Table[];
  charts: BandChart[];
  /** The same episode of two runs, side by side. */
  pairs: { title: string; sides: Dialogue[] }[];
  notes: string[];
}

export type PageData = RunData | ComparisonData;
