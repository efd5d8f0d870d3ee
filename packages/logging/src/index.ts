export { figuresOf, newFigures, perNames } from './figures.js';
export { duration, ProgressBar, type ProgressOutput } from './terminal/progress-bar.js';
export { isLiveTerminal, LiveRegion, type LiveText, type TerminalStream } from './terminal/live-region.js';
export { RunFigures } from './terminal/run-figures.js';
export { csvText, textTable } from './table.js';
export { lineChart, type ChartOptions, type Series } from './line-chart.js';
export {
  type LoggedCheckpoint,
  type LoggedEnd,
  type LoggedRun,
  type LoggedStep,
  type LoggerUnit,
  type RunLogger,
} from './loggers/logger.js';
export { findLogger, loggerNames, registerLogger } from './loggers/registry.js';
export { wandbSyncCommand } from './loggers/wandb/wandb-logger.js';
