// Checks the keys of the episodes in a user's JSONL file: keys that Bowyer writes are known, keys that mark which actions are
// learned are applied, and all others are reported.
import type { EpisodeRecord, TrajectoryRecord } from '@bowyer/core';
import { BadItem, unreadNote, UnreadKeys, LOSS_KEYS, lossOf } from '@bowyer/conversations';

const RESET_KEYS = ['observation', 'info'];
const STEP_KEYS = ['action', 'observation', 'reward', 'terminated', 'truncated', 'info', 'slip'];

/** The keys that runs, evaluations and `reverify` write. Token ids are not read, since they are those of another policy. */
const TRAJECTORY_KEYS = [
  'episode',
  'iteration',
  'seed',
  'item',
  'group',
  'episodic_return',
  'opening',
  'turns',
  'segments',
  'policy',
  'decoding',
  'split',
  'evaluation_seed',
];
const TURN_KEYS = [
  'state',
  'retrieved',
  'action',
  'reply',
  'next_observation',
  'reward',
  'terminated',
  'truncated',
  'info',
  'q',
  'v',
  'advantage',
  'preferred',
];

const EXPECTED =
  '{"reset": {"observation": "…"}, "steps": [{"action": "…", "observation": "…", "reward": 0}]}, or the trajectories of a run';

/** Checks the keys of all episodes of a file, and collects those that are not read. */
export class EpisodeKeys {
  readonly #keys = new UnreadKeys();

  checkRecord(place: string, record: EpisodeRecord): void {
    this.#check('an episode', place, record, ['reset', 'steps']);
    this.#check('the reset', place, record.reset, RESET_KEYS);
    for (const step of record.steps) this.#check('a step', place, step, [...STEP_KEYS, ...LOSS_KEYS]);
  }

  /**
   * Checks the keys of an episode in the format of a run's `trajectories/*.jsonl`.
   *
   * @param ofTurns keys of a turn that are read in addition
   */
  checkTrajectory(place: string, record: TrajectoryRecord, ofTurns: readonly string[]): void {
    this.#check('an episode', place, record, TRAJECTORY_KEYS);
    for (const turn of record.turns) this.#check('a turn', place, turn, [...TURN_KEYS, ...ofTurns]);
  }

  #check(of: string, place: string, record: object, read: readonly string[]): void {
    this.#keys.check(of, place, record as Record<string, unknown>, read);
  }

  /** Lists the keys of the file that were not read. @throws {DataFileError} where the file has keys that are refused */
  notes(path: string): string[] {
    this.#keys.throwRefused(path, EXPECTED);
    return unreadNote(this.#keys);
  }
}

/**
 * Returns whether an action is context but not learned, as `slip` (a deliberate mistake of the expert) or another key says.
 *
 * @param i the index of the step, from 0
 * @throws {BadItem}
 */
export function isSlip(step: object, i: number): boolean {
  const record = step as Readonly<Record<string, unknown>>;
  const loss = lossOf(record, true, `action ${i + 1}`);
  if (loss !== undefined && loss !== 0 && loss !== 1)
    throw new BadItem(`action ${i + 1} has the weight ${loss}, but an action of an episode is learned (1) or not (0)`);
  const slip = record.slip === true;
  if (loss !== undefined && record.slip !== undefined && slip !== (loss === 0))
    throw new BadItem(`'slip' and the weight of action ${i + 1} say different things`);
  return slip || loss === 0;
}
