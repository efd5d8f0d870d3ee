import { hash32, Rng, type Trajectory } from '@bowyer/core';
import type { ReplayItem } from './replay.js';
import { freshUtterances } from './fresh-utterances.js';
import type { ActRequest, Player } from './player.js';

/** A player that answers with the observation and the next number of the request's stream. */
class Echo implements Player {
  readonly sizes: number[] = [];
  async act(requests: ActRequest[]) {
    this.sizes.push(requests.length);
    return requests.map(({ observation, rng }) => ({ action: `${observation} ${rng.uint32()}` }));
  }
  async close() {}
}

const item = (name: string): ReplayItem => {
  const transition = {
    observation: name,
    action: 'old',
    reward: 1,
    nextObservation: '',
    terminated: true,
    truncated: false,
  };
  const trajectory: Trajectory = { episode: 0, seed: 0, transitions: [transition], infos: [], segments: [] };
  return { trajectory, turn: 0 };
};
const groups = [
  { items: ['a', 'b', 'c'].map(item), seed: 7 },
  { items: ['d', 'e'].map(item), seed: 8 },
];
const said = (fresh: ReplayItem[][][]) =>
  fresh.map((samples) => samples.map((items) => items.map(({ trajectory }) => trajectory.transitions[0].action)));
const stream = (seed: number, index: number) => new Rng(hash32(`${seed}/${index}`)).uint32();

test('sample k at item i of n draws from the stream k · n + i of its group’s seed', async () => {
  const fresh = said(await freshUtterances(new Echo(), groups, { slots: 64, samples: 2 }));
  expect(fresh[0][0]).toEqual(['a', 'b', 'c'].map((name, i) => `${name} ${stream(7, i)}`));
  expect(fresh[0][1]).toEqual(['a', 'b', 'c'].map((name, i) => `${name} ${stream(7, 3 + i)}`));
  expect(fresh[1][0]).toEqual(['d', 'e'].map((name, i) => `${name} ${stream(8, i)}`));
});

test('slots are filled across groups, and change nothing', async () => {
  const [few, many] = [new Echo(), new Echo()];
  const one = said(await freshUtterances(few, groups, { slots: 2, samples: 2 }));
  expect(few.sizes).toEqual([2, 2, 2, 2, 2]);
  expect(said(await freshUtterances(many, groups, { slots: 8, samples: 2 }))).toEqual(one);
  expect(many.sizes).toEqual([8, 2]);
});

test('turns of one episode share a slot, earlier ones first', async () => {
  const episode = {
    ...item('f').trajectory,
    transitions: ['f', 'fg', 'fgh'].flatMap((name) => item(name).trajectory.transitions),
  };
  const player = new Echo();
  const seen: [number, string][] = [];
  const act = async (requests: ActRequest[]) => {
    seen.push(...requests.map(({ slot, observation }): [number, string] => [slot, observation]));
    return player.act(requests);
  };
  const items = [{ trajectory: episode, turn: 2 }, item('a'), { trajectory: episode, turn: 0 }];
  const fresh = said(await freshUtterances({ act, close: player.close }, [{ items, seed: 7 }], { slots: 2 }));
  expect(seen).toEqual([
    [0, 'f'],
    [1, 'a'],
    [0, 'fgh'],
  ]);
  expect(fresh[0][0]).toEqual(['fgh', 'a', 'f'].map((name, i) => `${name} ${stream(7, i)}`));
});

test('a state that the player cannot answer ends the phase with its error', async () => {
  const broken: Player = { act: async () => [new Error('no answer')], close: async () => {} };
  await expect(freshUtterances(broken, groups, { slots: 1 })).rejects.toThrow('no answer');
});
