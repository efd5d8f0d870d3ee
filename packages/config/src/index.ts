// Hydra-compatible composition of YAML configs: compose, sweep, resolve, validate, and the command line around them.
export { runCommandLine, type CommandLineOptions } from './cli/command-line.js';
export type { Log, LogLevel, Streams } from './cli/log.js';
export type { Job, JobRun } from './cli/run-job.js';
export { compose, Composition, type ComposeOptions, type DefaultEntry } from './compose.js';
export { ConfigError, type ConfigErrorKind, type ConfigErrorPlace, type Violation } from './config-error.js';
export { clearResolver, registerResolver, type Resolver } from './interpolation/resolvers.js';
export type { PlainObject, PlainValue } from './node.js';
export { findViolations, validate, type JsonSchema } from './validate.js';
export { expandSweep, planSweep, sweepDimensions, type SweepDimension, type SweepPlan } from './sweep.js';
export type { OriginRecord } from './provenance.js';
export type { ConfigDir } from './sources/search-path.js';
