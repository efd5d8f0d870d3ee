// Hydra-compatible composition of YAML configs: compose, sweep, resolve, validate, and the command line around them.
export { compose, Composition, type ComposeOptions, type DefaultEntry } from './compose.js';
export { ConfigError, type ConfigErrorKind, type ConfigErrorPlace } from './config-error.js';
export { clearResolver, registerResolver, type Resolver } from './interpolation/resolvers.js';
export type { PlainObject, PlainValue } from './node.js';
export { expandSweep, planSweep, type SweepPlan } from './sweep.js';
export type { OriginRecord } from './provenance.js';
export type { ConfigDir } from './sources/search-path.js';
