// Groups the failures of episodes by their reason, so that each is reported once, with the number of episodes.

export interface FailureReason {
  /** The message of its first failure. */
  message: string;
  episodes: number;
}

/** Names that differ between failures of one reason: those of rollouts, which are in messages and in the paths of outputs too. */
const ROLLOUT_NAME = /\b[a-z]+-\d+\.\d+\b/g;

/** Numbers of tokens, bytes and seconds that differ between rollouts; a status, an exit code and a port are the reason itself. */
const AMOUNT = /\b\d+(?:\.\d+)?(?= (?:tokens|bytes|seconds|in the (?:messages|completion)|s|ms)\b)/g;

/** Returns the same text for failures of one reason. */
export const reasonKey = ({ message }: Error): string => message.replace(ROLLOUT_NAME, '…').replace(AMOUNT, '…');

/** Counts reasons, in the order in which they came first. */
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

/** The most reasons that a message or a result names. */
export const SHOWN_REASONS = 3;
