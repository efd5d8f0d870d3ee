export { Rng, hash32, type RngState } from './rng.js';
export {
  discountedReturns,
  episodicReturn,
  type TokenSegment,
  type Trajectory,
  type Transition,
  type UtteranceTokens,
} from './trajectory.js';
export { ReplayBuffer } from './replay-buffer.js';
export { tdTargets, utteranceAdvantages, type HeadValues } from './losses/utterance-td.js';
export { scheduledRate, type LearningRateSchedule } from './learning-rate-schedule.js';
export { minibatches } from './minibatches.js';
export { correlation, maximum, mean, minimum, quantile, standardDeviation, standardError } from './statistics.js';
export { writeFileAtomically } from './atomic-file.js';
export { withFileLock, type FileLockOptions } from './file-lock.js';
export { camelKeys, snakeKeys, toCamelCase, toSnakeCase } from './key-case.js';
export { count, nullable, oneOf, rate, share, type CamelKeys, type OptionsOf } from './option-schema.js';
