export { JsonlFile } from './jsonl-file.js';
export { readJsonl, type JsonlEnd } from './jsonl-reader.js';
export { duration, ProgressBar, type ProgressOutput } from './progress-bar.js';
export { textTable } from './table.js';
export { lineChart, type ChartOptions, type Series } from './line-chart.js';
export { type LoggedEnd, type LoggedRun, type LoggedStep, type LoggerUnit, type RunLogger } from './loggers/logger.js';
export { findLogger, loggerNames, registerLogger } from './loggers/registry.js';
export { syncRuns, type SyncedRun, type SyncOptions } from './wandb/sync-runs.js';
