// Samples new utterances of the acting policy at the states of stored turns.
import { groupBy, hash32, oneRank, Rng, type Ranks } from '@bowyer/core';
import type { OpenPlayer, PlayOptions, Player } from './player.js';
import type { ReplayItem } from './replay.js';
import { segmentsOf } from './turn-tokens.js';

/** Stored turns at whose states utterances are sampled, and the seed of these utterances. */
export interface StatesToAct {
  items: readonly ReplayItem[];
  seed: number;
}

interface FreshOptions {
  slots: number;
  samples?: number;
  progress?: (done: number) => void;
  /** The processes that divide the utterances among them; a single process if not given. */
  ranks?: Ranks;
}

interface Wanted {
  item: ReplayItem;
  seed: number;
  rng: Rng;
}

/**
 * Samples `samples` utterances at each item's observation. The turns of one episode are sampled one after the other in the same
 * slot (a lane), so that their common prefix is computed once.
 *
 * The random numbers of sample k at item i of a group with n items depend only on the group's seed and k · n + i, so that neither
 * the slots nor the other groups change an utterance.
 *
 * @param progress called with the number of finished utterances
 * @returns per group and sample [items] the same states with new actions; rewards and next observations are those of the stored
 * actions and must not be used
 */
export async function freshUtterances(
  player: Player,
  groups: readonly StatesToAct[],
  { slots, samples = 1, progress, ranks = oneRank }: FreshOptions,
): Promise<ReplayItem[][][]> {
  const wanted = groups.flatMap(({ items, seed }) =>
    Array.from({ length: samples }, (_, k) =>
      items.map((item, i) => ({ item, seed, rng: new Rng(hash32(`${seed}/${k * items.length + i}`)) })),
    ).flat(),
  );
  const { rank, size } = ranks;
  const lanes = lanesOf(wanted, samples).filter((_, i) => i % size === rank);
  const own = await ranks.apart(() => actInLanes(player, lanes, slots, (done) => progress?.(done * size)));
  await ranks.barrier();
  const numberOf = new Map(wanted.map((each, i) => [each, i]));
  const said = new Map(ranks.gather([...own].map(([each, item]) => [numberOf.get(each)!, item] as const)).flat());
  let next = 0;
  const inOrder = wanted.map((_, i) => said.get(i)!);
  return groups.map(({ items }) => Array.from({ length: samples }, () => inOrder.slice(next, (next += items.length))));
}

/** Runs `slots` lanes (the turns of one episode, in order) at a time, one turn of each lane per call of the player. */
async function actInLanes(
  player: Player,
  lanes: readonly Wanted[][],
  slots: number,
  progress: (done: number) => void,
): Promise<Map<Wanted, ReplayItem>> {
  const fresh = new Map<Wanted, ReplayItem>();
  for (let start = 0; start < lanes.length; start += slots) {
    const block = lanes.slice(start, start + slots);
    for (let round = 0; block.some((lane) => round < lane.length); round++) {
      const turns = block.flatMap((lane, slot) => (round < lane.length ? [{ ...lane[round], slot }] : []));
      const said = await actAt(player, turns);
      block.filter((lane) => round < lane.length).forEach((lane, i) => fresh.set(lane[round], said[i]));
      progress(fresh.size);
    }
  }
  return fresh;
}

/** One KV-cache slot samples the turns of a lane, earlier ones first; samples of one turn are in different lanes. */
function lanesOf(wanted: readonly Wanted[], samples: number): Wanted[][] {
  if (samples > 1) return wanted.map((each) => [each]);
  const lanes = groupBy(wanted, ({ item }) => item.trajectory);
  return [...lanes.values()].map((lane) => lane.sort((one, other) => one.item.turn - other.item.turn));
}

/** Samples one utterance at each item's observation, with a new player. The seed is the next number of `rng`. */
export async function freshBatch(
  openPlayer: OpenPlayer,
  items: readonly ReplayItem[],
  { slots, sampling, ranks }: Pick<PlayOptions, 'slots' | 'sampling'> & { ranks?: Ranks },
  rng: Rng,
): Promise<ReplayItem[]> {
  const seed = rng.uint32();
  const player = await openPlayer(sampling);
  try {
    return (await freshUtterances(player, [{ items, seed }], { slots, ranks }))[0][0];
  } finally {
    await player.close();
  }
}

async function actAt(player: Player, wanted: readonly (Wanted & { slot: number })[]): Promise<ReplayItem[]> {
  const decisions = await player.act(
    wanted.map(({ item, rng, slot }) => ({
      slot,
      turn: 0,
      rng,
      ids: tokensBefore(item),
      observation: item.trajectory.transitions[item.turn].observation,
    })),
  );
  return wanted.map(({ item, seed }, i) => {
    const decision = decisions[i];
    if (decision instanceof Error) throw decision;
    const { action, data } = decision;
    const transition = { ...item.trajectory.transitions[item.turn], action };
    const trajectory = { episode: -1, seed, transitions: [transition], infos: [], segments: segmentsOf([data]) };
    return { trajectory, turn: 0 };
  });
}

/** Returns the tokens that the policy read and wrote before a turn's utterance; undefined where none are stored. */
function tokensBefore({ trajectory, turn }: ReplayItem): number[] | undefined {
  for (const { ids, utterances } of trajectory.segments) {
    const utterance = utterances.find((candidate) => candidate.turn === turn);
    if (utterance) return ids.slice(0, utterance.start);
  }
  return undefined;
}
