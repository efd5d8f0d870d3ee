// Reads the weight of a message in the training loss, which files name differently: `weight` (0 or 1) in OpenAI's, `loss` in
// AgentGym's and ms-swift's, `train` or `training` in Axolotl's, `loss_weight` or `trainable` in others.
import { BadItem, found } from '../files/data-error.js';

export const LOSS_KEYS = [
  'loss',
  'weight',
  'train',
  'training',
  'trainable',
  'loss_weight',
  'train_on',
  'learn',
] as const;

/** @param what describes the message in errors @throws {BadItem} */
export function lossOf(message: Readonly<Record<string, unknown>>, isReply: boolean, what: string): number | undefined {
  const given = LOSS_KEYS.filter((key) => message[key] !== undefined && message[key] !== null);
  const weights = given.map((key) => weightOf(message[key], `'${key}' of ${what}`));
  if (new Set(weights).size > 1)
    throw new BadItem(`${given.map((key) => `'${key}'`).join(' and ')} of ${what} say different things`);
  const [weight] = weights;
  if (weight !== undefined && weight > 0 && !isReply)
    throw new BadItem(
      `'${given[0]}' of ${what} is ${JSON.stringify(message[given[0]])}, but only what the assistant says is learned`,
    );
  return weight;
}

/** The largest weight. With a larger one, the loss of a batch could overflow float32. */
const LARGEST_WEIGHT = 1e6;

function weightOf(value: unknown, what: string): number {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number' && value > LARGEST_WEIGHT)
    throw new BadItem(
      `${what} is ${value}, more than the largest weight, ${LARGEST_WEIGHT}; weights are usually from 0 to 10`,
    );
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new BadItem(`${what} is ${found(value)}, neither true or false nor a weight of at least 0`);
}
