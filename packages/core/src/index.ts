export { VERSION } from './version.js';
export { Rng, hash32, type RngState } from './rng.js';
export { isRecord } from './is-record.js';
export { spokenIds, type Utterance } from './utterance.js';
export {
  episodicReturn,
  type SegmentUtterance,
  type TokenSegment,
  type Trajectory,
  type Transition,
  type TurnEstimate,
} from './trajectory.js';
export { type Demonstration, type DemonstrationTurn } from './demonstration.js';
export {
  demonstrationSetOf,
  demonstrationOf,
  recordedInfo,
  recordedReturn,
  recordOf,
  type DemonstrationSet,
  type EpisodeRecord,
  type InformedTransition,
  type RecordedStep,
} from './episode-record.js';
export { isAllowed, tokenMaskOf, type TokenMask } from './token-mask.js';
export { fromRecord, toRecord, type TokenTexts, type TrajectoryRecord } from './trajectory-record.js';
export { ReplayBuffer } from './replay-buffer.js';
export { anyRank, oneRank, onRankZero, shareOf, type Ranks } from './ranks.js';
export {
  tokenWeights,
  weightedSum,
  type LossAggregation,
  type ScoredTokens,
  type TokenLoss,
} from './losses/token-loss.js';
export { hostArithmetic, type Arithmetic } from './losses/arithmetic.js';
export { entropyBonus } from './losses/entropy-bonus.js';
export { ppoClipLoss, ratioBounds, surrogateTerms, type PpoClipOptions } from './losses/ppo-clip.js';
export { gspoLoss } from './losses/gspo.js';
export { cispoLoss, cispoSlope, type CispoOptions } from './losses/cispo.js';
export { droLoss, droSlope } from './losses/dro.js';
export { klEstimate, klPenalty, klSlope, type KlEstimator } from './losses/kl.js';
export { awrWeights, type AwrOptions } from './losses/awr.js';
export { dpoLoss } from './losses/dpo.js';
export { tdLoss } from './losses/td.js';
export { clippedValueLoss, valueTerms } from './losses/value-clip.js';
export { adaptedKlCoefficient } from './losses/adaptive-kl.js';
export { expectileWeights } from './losses/expectile.js';
export { discountedReturns } from './advantages/monte-carlo.js';
export { gae, type GaeInput } from './advantages/gae.js';
export { bilevelGae, type BilevelGaeInput } from './advantages/bilevel-gae.js';
export { importanceWeight, nStepReturn, type TurnsAhead } from './advantages/n-step-return.js';
export { groupRelativeAdvantages, type GroupRelativeOptions } from './advantages/group-relative.js';
export { anchorGroups } from './advantages/anchor-groups.js';
export { utteranceAdvantages, type HeadValues } from './advantages/utterance-advantages.js';
export { scheduledRate, type LearningRateSchedule } from './learning-rate-schedule.js';
export { minibatches } from './minibatches.js';
export {
  clusteredMean,
  ratioMean,
  studentQuantile,
  gainVerdict,
  type ClusteredMean,
  type GainVerdict,
} from './student-interval.js';
export { confidenceSequence, rolloutsNeeded, type PlannedDifference } from './confidence-sequence.js';
export { interquartileMean, probabilityOfImprovement, stratifiedInterval, type TaskScores } from './robust-scores.js';
export { bootstrapMean, bootstrapMeans, type BootstrapOptions, type Interval } from './bootstrap-interval.js';
export {
  correlation,
  maximum,
  mean,
  minimum,
  quantile,
  standardDeviation,
  standardError,
  whiten,
} from './statistics.js';
export { freeMemory } from './free-memory.js';
export { isGzip, refuseOtherFormats, utf8Line, utf8Text } from './utf8-text.js';
export { namingFile, readProblem, writeProblem } from './disk-error.js';
export { isLoopback } from './loopback.js';
export { LARGEST_REWARD } from './largest-reward.js';
export { commandText, overrideWord, shellQuoted } from './command-text.js';
export { writeFileAtomically } from './atomic-file.js';
export { makeTemporaryFolder } from './temporary-folder.js';
export { groupBy } from './group-by.js';
export { isUnreported, refuseUsedFolder, reportFolder, writeNewFolder } from './new-folder.js';
export { decimalDigits, keepsDigits } from './decimal-digits.js';
export { appendText } from './lines/append-text.js';
export { isJson, JsonlFile } from './lines/jsonl-file.js';
export { repeatedKeyProblem } from './lines/repeated-key.js';
export { readJsonl, type JsonlEnd } from './lines/jsonl-reader.js';
export { PartedJsonl, readLineAt, readPartedJsonl, type LinePlace } from './lines/parted-jsonl.js';
export { readTextLines, type TextLine } from './lines/text-lines.js';
export { hasLiveOwner, holderMessage, withFileLock, type FileLockOptions, type LockHolder } from './file-lock.js';
export { checkHeld, LockLostError, mayWrite, onLockLost, type LockOwner } from './held-locks.js';
export { identityOf, stateOf, type ProcessIdentity, type ProcessState } from './process-identity.js';
export { ReadWatcher, unwatched } from './read-watcher.js';
export { oneProblem, type ConfigProblem } from './config-problem.js';
export { camelKeys, snakeKeys, toCamelCase, toSnakeCase } from './key-case.js';
export { changeableOnResume, count, nullable, oneOf, type CamelKeys, type OptionsOf } from './option-schema.js';
export {
  choice,
  defaulting,
  flag,
  fraction,
  group,
  integer,
  nonNegative,
  option,
  optional,
  optionalText,
  positive,
  text,
  texts,
  unitOptions,
  type Option,
  type OptionDetails,
} from './options/constructors.js';
export { defaultsOf, flatNames, isGroup, isNode, withDefaults, type GivenOptions } from './options/schema-tree.js';
/** TypeBox declares options; it is re-exported so that plugins need not depend on it. */
export { Type, type Static, type TSchema } from '@sinclair/typebox';
export {
  emitSpan,
  isTraced,
  kernelProfileFolder,
  listenToSpans,
  timed,
  wallClock,
  type Span,
  type SpanCategory,
  type SpanListener,
} from './tracing.js';
export { DeadlineError, LONGEST_WAIT_MS, withDeadline, withProgress } from './deadline.js';
export { HARMLESS_KEYS, isEmpty } from './harmless-keys.js';
export { reportWait, reportWaits, waitingFor, type WaitReports } from './waits.js';
export * as protobuf from './protobuf/protobuf.js';
