// Groups the failures of episodes by their reason, so that each is reported once, with the number of episodes.

export interface FailureReason {
  message: string;
  episodes: number;
}

/** Names of rollouts, such as `task-3.0`, which differ between failures of one reason. */
const ROLLOUT_NAME = /\b[a-z]+-\d+\.\d+\b/g;

/** Amounts, which differ between failures of one reason. A status, an exit code or a port is a part of the reason. */
const AMOUNT = /\b\d+(?:\.\d+)?(?= (?:tokens|bytes|seconds|in the (?:messages|completion)|s|ms)\b)/g;

/** Returns a text that is equal for failures of one reason. */
export const reasonKey = ({ message }: Error): string => message.replace(ROLLOUT_NAME, '…').replace(AMOUNT, '…');

/** Counts failures by reason, in the order of their first failures. */
export function failureReasons(failures: readonly Error[]): FailureReason[] {
  const reasons = new Map<string, FailureReason>();
  for (const failure of failures) {
    const key = reasonKey(failure);
    const known = reasons.get(key);
    if (known) known.episodes++;
    else reasons.set(key, { message: failure.message, episodes: 1 });
  }
  return [...reasons.values()];
}

/** The most reasons in a message or a result. */
export const SHOWN_REASONS = 3;
