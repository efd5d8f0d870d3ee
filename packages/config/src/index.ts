// Exports Hydra-compatible composition of YAML configs: compose, sweep, resolve, validate, and the command line around them.
export { isFlag } from './cli/flags.js';
export { runCommandLine } from './cli/command-line.js';
export { printable } from './cli/printable.js';
export { writeLines } from './cli/terminal-lines.js';
export type {
  CommandLine,
  GivenOverride,
  JobContext,
  LogLevel,
  PrepareContext,
  Purpose,
  SweepOutcome,
  SweepRequest,
  TextSink,
  TranslateContext,
  ValidateContext,
} from './cli/program.js';
export type { ComposeOptions } from './compose-options.js';
export { compose, recompose } from './compose.js';
export { Composition, type DefaultEntry } from './composition.js';
export { ConfigError, type ConfigErrorKind, type ConfigErrorPlace, type Violation } from './config-error.js';
export type { ImpliedDefaults, PrimaryConfig } from './defaults/implied.js';
export type { FlatNames, FlatPath, FlatUse } from './flat-names.js';
export { registerResolver, type Resolver } from './interpolation/resolvers.js';
export type { PlainObject, PlainValue } from './node.js';
export type { OverrideAliases } from './overrides/aliases.js';
export type { JsonSchema } from './json-schema.js';
export { findViolations, validate } from './validate.js';
export { overrideText, plainValue, quotedText, type JsonValue } from './overrides/plain-value.js';
export { expandSweep, planSweep, sweepDimensions, type SweepDimension, type SweepPlan } from './sweep.js';
export type { OriginRecord } from './provenance.js';
export type { ConfigDir } from './sources/search-path.js';
export { nearest } from './nearest.js';
