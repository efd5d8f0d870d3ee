// Reads the reward that a task's tests have written, as Harbor does: the numbers of reward.json, else the number of reward.txt.

export interface HarborReward {
  reward: number;
  components: Record<string, number>;
  /** The reason why the reward is 0 if the tests have written no valid reward; null if they have. */
  fault: string | null;
}

/** @param json content of /logs/verifier/reward.json, or null @param text content of reward.txt, or null */
export function rewardOf(json: string | null, text: string | null): HarborReward {
  if (json === null && text === null) return unread({}, 'the tests wrote neither reward.json nor reward.txt');
  if (json === null) return fromText({}, text);
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return unread({}, 'reward.json is not JSON');
  }
  if (typeof parsed === 'number') return { reward: parsed, components: { reward: parsed }, fault: null };
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return unread({}, 'reward.json is neither a number nor an object');
  const numbers = Object.entries(parsed).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const components = Object.fromEntries(numbers);
  if (components.reward !== undefined) return { reward: components.reward, components, fault: null };
  return text === null ? unread(components, 'reward.json has no number reward') : fromText(components, text);
}

function fromText(components: Record<string, number>, text: string | null): HarborReward {
  const value = (text ?? '').trim();
  const reward = value === '' ? NaN : Number(value);
  return Number.isFinite(reward) ? { reward, components, fault: null } : unread(components, 'reward.txt is no number');
}

const unread = (components: Record<string, number>, fault: string): HarborReward => ({ reward: 0, components, fault });
