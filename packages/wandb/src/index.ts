export { checkRun, openRun, type RowValue, type RunOptions, type WandbRun } from './run/wandb-run.js';
export { type Advice } from './place/advice.js';
export { type ArtifactOptions } from './run/artifact-record.js';
export { type MediaValue, type Picture } from './run/media.js';
export { type Figures } from './log/figures.js';
export { SUMMARIES, type MetricDefinition } from './log/metric-definitions.js';
export { type PlaceOptions } from './place/settings.js';
export { syncRuns } from './sync-runs.js';
export {
  asAgent,
  createSweep,
  parseSweep,
  type SweepAgent,
  type SweepCommand,
  type SweepConfig,
  type SweepPlace,
  type SweepTrial,
} from './sweeps.js';
