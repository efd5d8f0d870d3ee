// Checks the metrics and results of a run for problems, which the report shows as warnings at its top.
import { mean } from '@bowyer/core';
import type { Warning } from '@bowyer/views';
import type { RunResults } from '../run/results.js';
import type { MetricColumns } from './metric-table.js';

const MANY_INVALID = 0.2;
/** The share of its initial entropy below which a policy is considered collapsed. */
const COLLAPSED = 0.1;
/**
 * The mean difference between the log-probabilities of sampler and trainer, in nats, above which float32 rounding cannot be the
 * cause.
 */
const MISMATCH = 1e-3;
/** The share of groups with different returns below which the report warns that a group-based method learns from few episodes. */
const FEW_GROUPS = 0.2;
/** The correlation of Q with the returns below which the report warns that the critic says little about the returns. */
const WEAK_CORRELATION = 0.1;
/** The first and the last share of a run whose metrics are compared with each other. */
const EDGE = 0.1;

interface Judged {
  metrics: MetricColumns;
  results: Partial<Pick<RunResults, 'calibration' | 'policies' | 'stopped' | 'ended' | 'handedOut' | 'items'>> | null;
  /** The error that ended the run when it was last started; null if it did not fail. */
  failure: string | null;
}

export function warningsOf({ metrics, results, failure }: Judged): Warning[] {
  const edge = (key: string) => edges(metrics.columns.get(key)?.y ?? []);
  const checks: (Warning | null)[] = [
    failure === null ? null : { level: 'bad', title: 'The last start failed', text: failure },
    results?.stopped === undefined
      ? null
      : { level: 'bad', title: 'Stopped by the guard', text: `The guard stopped the run ${results.stopped}.` },
    notImproved(results?.handedOut),
    ...(results?.handedOut?.notes ?? []).map((text): Warning => ({ level: 'look', title: 'While it trained', text })),
    results?.ended === undefined ? null : { level: 'look', title: 'Ended early', text: results.ended },
    results?.items?.trainedOn
      ? {
          level: 'bad',
          title: 'Tested on what was trained on',
          text: `${results.items.trainedOn} ${results.items.noun} of the test were in the run’s own rollouts.`,
        }
      : null,
    collapse(edge('rollout/utterance_entropy')),
    returnsFell(edge('rollout/episodic_return'), metrics),
    invalidActions(edge('rollout/invalid_share') ?? edge('eval/invalid_share'), results),
    miscalibrated(metrics, results),
    mismatch(metrics.columns.get('diagnostics/logprob_mismatch')?.y ?? []),
    vanishingGroups(metrics),
  ];
  return checks.filter((warning) => warning !== null);
}

function notImproved(handedOut: RunResults['handedOut']): Warning | null {
  if (handedOut === undefined || handedOut.verdict === 'improved') return null;
  return {
    level: handedOut.verdict === 'worse' ? 'bad' : 'look',
    title: 'The start is handed out',
    text: `No agent was shown to be better: ${handedOut.reasons.join('; ')}.`,
  };
}

type Edges = { first: number; last: number } | null;

function edges(values: readonly number[]): Edges {
  if (values.length < 2) return null;
  const count = Math.max(1, Math.floor(values.length * EDGE));
  return { first: mean(values.slice(0, count)), last: mean(values.slice(-count)) };
}

function collapse(entropy: Edges): Warning | null {
  if (entropy === null || entropy.last >= COLLAPSED * entropy.first) return null;
  return {
    level: 'bad',
    title: 'The policy has collapsed',
    text: `The entropy of an utterance fell from ${entropy.first.toPrecision(3)} to ${entropy.last.toPrecision(3)} nats: it says nearly the same every time and no longer explores.`,
  };
}

function returnsFell(returns: Edges, { columns }: MetricColumns): Warning | null {
  const errors = columns.get('rollout/episodic_return_standard_error')?.y ?? [];
  if (returns === null || errors.length === 0) return null;
  const error = Math.hypot(errors[0], errors.at(-1)!);
  if (returns.last >= returns.first - 3 * error || error === 0) return null;
  return {
    level: 'look',
    title: 'The returns fell',
    text: `The mean return of the rollouts went from ${returns.first.toPrecision(3)} to ${returns.last.toPrecision(3)}, more than three standard errors.`,
  };
}

function invalidActions(shares: Edges, results: Judged['results']): Warning | null {
  const tested = results?.policies?.at(-1)?.metrics['test/invalid_share'];
  const share = tested ?? shares?.last ?? 0;
  if (share < MANY_INVALID) return null;
  return {
    level: 'look',
    title: 'Many invalid actions',
    text: `${(100 * share).toFixed(0)} % of the actions ${tested === undefined ? 'at the end of the run' : 'of the final test'} were not understood by the environment.`,
  };
}

function miscalibrated({ columns }: MetricColumns, results: Judged['results']): Warning | null {
  const last = (key: string) => columns.get(key)?.y.at(-1);
  const q = results?.calibration?.qMean ?? last('eval/q_mean');
  const returned = results?.calibration?.discountedReturnMean ?? last('eval/discounted_return_mean');
  const correlation = last('eval/q_return_correlation');
  if (q === undefined || returned === undefined) return null;
  const spread = last('critic/target_q1_std') ?? Math.abs(returned);
  const isFar = Math.abs(q - returned) > Math.max(spread, 0.25 * Math.abs(returned));
  const isWeak = correlation !== undefined && correlation < WEAK_CORRELATION;
  if (!isFar && !isWeak) return null;
  const parts = [
    isFar &&
      `On average over the evaluation it predicts ${q.toPrecision(3)}, and the return is ${returned.toPrecision(3)}.`,
    isWeak &&
      `Its values correlate with the returns by ${correlation.toFixed(2)} only, so it ranks utterances little better than chance does.`,
  ];
  return { level: 'look', title: 'The critic is miscalibrated', text: parts.filter(Boolean).join(' ') };
}

function mismatch(values: readonly number[]): Warning | null {
  const worst = values.reduce((most, value) => Math.max(most, value), 0);
  if (worst <= MISMATCH) return null;
  return {
    level: 'look',
    title: 'Sampler and trainer differ',
    text: `A token’s log-probability differed by up to ${worst.toPrecision(2)} nats between the policy that played and the one that was trained. Quantized weights, float16 and GPUs differ by rounding; in float32 on the CPU it means that they are not the same policy.`,
  };
}

function vanishingGroups({ columns }: MetricColumns): Warning | null {
  const flat = edges(columns.get('groups/flat_share')?.y ?? [])?.last;
  if (flat === undefined || flat <= 1 - FEW_GROUPS) return null;
  return {
    level: 'look',
    title: 'The group signal vanishes',
    text: `In ${(100 * flat).toFixed(0)} % of the groups all episodes had the same return at the end: their advantages are 0, and nothing is learned from them.`,
  };
}
