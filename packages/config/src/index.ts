// Hydra-compatible composition of YAML configs: compose, sweep, resolve, validate, and the command line around them.
export { runCommandLine } from './cli/command-line.js';
export type { CommandLine, JobContext, TextSink } from './cli/session.js';
export type { LogLevel } from './cli/job-log.js';
export type { SweepOutcome, SweepRequest } from './cli/sweep-request.js';
export { compose, type ComposeOptions } from './compose.js';
export { Composition, type DefaultEntry } from './composition.js';
export { ConfigError, type ConfigErrorKind, type ConfigErrorPlace, type Violation } from './config-error.js';
export { clearResolver, registerResolver, type Resolver } from './interpolation/resolvers.js';
export type { PlainObject, PlainValue } from './node.js';
export { findViolations, validate, type JsonSchema } from './validate.js';
export { expandSweep, planSweep, sweepDimensions, type SweepDimension, type SweepPlan } from './sweep.js';
export type { OriginRecord } from './provenance.js';
export type { ConfigDir } from './sources/search-path.js';
