// Tests sets of rollouts with a fake server: order, tasks, attempts, failures, judges, and aborts.
import { InterruptedError, play, type PlayContext } from '@bowyer/algorithms';
import { recordedCall, recordedChoice } from '../../test/recorded-call.js';
import type { RecordedRollout } from '../record/recorded.js';
import { rolloutPlayer, type RolloutHost, type RolloutPlayOptions } from './play-rollouts.js';
import type { RankGroup, RunAgent } from './run-agent.js';

/** A server that records answers of a fake model, which says whether its seed is even or odd. */
class FakeHost implements RolloutHost {
  readonly rollouts = new Map<string, RecordedRollout>();
  readonly begun: Parameters<RolloutHost['begin']>[0][] = [];

  begin(rollout: Parameters<RolloutHost['begin']>[0]) {
    const { id, task, seed = 0 } = rollout;
    this.begun.push(rollout);
    const choices = [recordedChoice(String(seed % 2), [seed % 2, 7])];
    const call = recordedCall({ rollout: id, promptIds: [3, 4], choices });
    this.rollouts.set(id, { id, task, calls: [call], failures: [], rewards: [], metrics: {}, status: 'open' });
    return Promise.resolve({ id, baseURL: `h/${id}/v1`, anthropicBaseURL: `h/${id}`, apiKey: 'k', url: `h/${id}` });
  }
  async reward(id: string, { value, name }: { value: number; name: string }) {
    this.rollouts.get(id)!.rewards.push({ value, name, at: 0 });
  }
  async metrics(id: string, metrics: Record<string, number>) {
    Object.assign(this.rollouts.get(id)!.metrics, metrics);
  }
  async end(id: string, how: { status: 'ended' | 'failed'; reason?: string }) {
    Object.assign(this.rollouts.get(id)!, how);
  }
  async learnt() {}
  read(id: string) {
    return Promise.resolve(this.rollouts.get(id)!);
  }
}

const tasks = Array.from({ length: 3 }, (_, i) => ({ id: `t${i}` }));
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
const options = { seed: 5, slots: 3, sampling, maxFailureShare: 0.5 };
const noPlayer = () => Promise.reject(new Error('there is no player'));

function setOf(
  run: RunAgent,
  how: Partial<RolloutPlayOptions> = {},
  { greedy = false, groupSize = 2, ...context }: Partial<PlayContext> & { greedy?: boolean; groupSize?: number } = {},
) {
  const host = new FakeHost();
  const playSet = rolloutPlayer(host, {
    tasks: { train: tasks, eval: tasks, test: tasks },
    run,
    judge: null,
    attempts: 1,
    failedReward: null,
    sampling: {},
    decode: (ids) => ids.join(' '),
    masks: { masksOf: () => [] },
    ...how,
  });
  const failures: string[] = [];
  const given = {
    makeEnv: null,
    playSet,
    hooks: { progress: () => {} },
    onFailure: (error: Error, episode: string) => failures.push(`${episode}: ${error.message}`),
    ...context,
  };
  const playing = play(
    given,
    noPlayer,
    { ...options, sampling: { ...sampling, greedy } },
    { purpose: 'rollout', split: 'train', firstEpisode: 6, episodes: 6, groupSize },
  );
  return { playing, host, failures };
}

const rewarding: RunAgent = () => Promise.resolve({ reward: 1, metrics: { steps: 2 } });

test('episodes have their numbers, groups their task, each its own random numbers, the same in every run', async () => {
  const { playing, host } = setOf(rewarding);
  const played = await playing;
  expect(played.map(({ episode }) => episode)).toEqual([6, 7, 8, 9, 10, 11]);
  expect(played.map(({ group }) => group)).toEqual([3, 3, 4, 4, 5, 5]);
  for (const group of [0, 2, 4]) expect(played[group].item).toBe(played[group + 1].item);
  expect(new Set(played.map(({ item }) => item)).size).toBe(3);
  expect(new Set(host.begun.map(({ seed }) => seed)).size).toBe(6);
  expect(host.begun.map(({ sampling: own }) => own)).toEqual(Array(6).fill({}));
  expect(played[0]).toMatchObject({
    transitions: [{ observation: '3 4', reward: 1, terminated: true }],
    infos: [{ rollout: 'rollout-6.1', metrics: { steps: 2 } }],
  });
  const again = setOf(rewarding, {}, {});
  expect(await again.playing).toEqual(played);
});

test('no more agents at once than slots; a greedy set fixes the temperature', async () => {
  let [now, most] = [0, 0];
  const { playing, host } = setOf(
    async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
      return { reward: 0 };
    },
    { sampling: { topP: 0.5 } },
    { greedy: true },
  );
  await playing;
  expect(most).toBe(3);
  expect(host.begun[0].sampling).toEqual({ topP: 0.5, temperature: 0 });
});

/** Fails where `fails` says so. */
const failing =
  (fails: (name: string) => boolean): RunAgent =>
  ({ name }) =>
    fails(name) ? Promise.reject(new Error(`crash of ${name}`)) : Promise.resolve({ reward: 1 });

test('a failed agent begins again with other random numbers; a rollout that fails in every attempt is left out', async () => {
  const { playing, host, failures } = setOf(
    failing((name) => /^rollout-8|^rollout-9\.1$/.test(name)),
    { attempts: 2 },
  );
  const played = await playing;
  expect(played.map(({ episode }) => episode)).toEqual([6, 7, 9, 10, 11]);
  expect(failures).toEqual(['rollout episode 8: crash of rollout-8.2']);
  expect(played[2].infos[0].rollout).toBe('rollout-9.2');
  const seeds = host.begun.filter(({ id }) => id.startsWith('rollout-9.')).map(({ seed }) => seed);
  expect(new Set(seeds).size).toBe(2);
  const failed = [...host.rollouts.values()].filter(({ status }) => status === 'failed');
  expect(failed.map(({ reason }) => reason).sort()).toEqual([
    'crash of rollout-8.1',
    'crash of rollout-8.2',
    'crash of rollout-9.1',
  ]);
});

test('failed_reward counts what has failed in every attempt', async () => {
  const { playing, failures } = setOf(
    failing((name) => name.startsWith('rollout-8')),
    { attempts: 2, failedReward: -1 },
  );
  const played = await playing;
  expect(failures).toEqual(['rollout episode 8: crash of rollout-8.2']);
  expect(played.map(({ transitions }) => transitions[0].reward)).toEqual([1, 1, -1, 1, 1, 1]);
  // max_failure_share does not count such failures, since the training learns from them.
  const all = setOf(
    failing(() => true),
    { attempts: 1, failedReward: -1 },
  );
  expect((await all.playing).map(({ transitions }) => transitions[0].reward)).toEqual([-1, -1, -1, -1, -1, -1]);
  expect(all.failures).toHaveLength(6);
});

test('too many failures stop the set with the first reason; one that says nothing of its reward has failed', async () => {
  await expect(setOf(failing(() => true)).playing).rejects.toThrow(
    /^4 of 6 episodes \(rollout\) failed, .*\n {2}the first: crash of rollout-\d+\.1$/,
  );
  await expect(setOf(() => Promise.resolve({})).playing).rejects.toThrow(
    /rollout rollout-\d+\.1 ended without a reward/,
  );
});

test('a judge reads the record, and its reward replaces the agent’s', async () => {
  const judged: string[] = [];
  const { playing, host } = setOf(rewarding, {
    judge: ({ task }, { calls, metrics }) => {
      judged.push(task.id);
      return Promise.resolve({ reward: calls.length / 4, components: { steps: metrics.steps } });
    },
  });
  const played = await playing;
  expect(played.map(({ transitions }) => transitions[0].reward)).toEqual(Array(6).fill(0.25));
  expect(played[0].infos[0]).toMatchObject({ rewards: { steps: 2 } });
  expect(judged).toHaveLength(6);
  expect([...host.rollouts.values()].every(({ status }) => status === 'ended')).toBe(true);
  const broken = setOf(rewarding, { judge: () => Promise.reject(new Error('no judge')) });
  await expect(broken.playing).rejects.toThrow('the first: no judge');
});

test('the rollouts of a group are ranked together, and the scores are added to their rewards', async () => {
  const groups: string[][] = [];
  const rank: RankGroup = (group) => {
    groups.push(group.map(({ task }) => task.id));
    return Promise.resolve(group.map((_, i) => i / 4));
  };
  const { playing, host } = setOf(rewarding, { rank });
  const played = await playing;
  expect(played.map(({ episode }) => episode)).toEqual([6, 7, 8, 9, 10, 11]);
  expect(played.map(({ transitions }) => transitions[0].reward)).toEqual([1, 1.25, 1, 1.25, 1, 1.25]);
  expect(played[1].infos[0]).toMatchObject({ rewards: { ranking: 0.25 } });
  expect(groups.map(([one, other]) => one === other)).toEqual([true, true, true]);
  expect([...host.rollouts.values()].every(({ status }) => status === 'ended')).toBe(true);
});

test('with a ranking an agent need not give a reward; a group that cannot be ranked is left out', async () => {
  let calls = 0;
  const rank: RankGroup = (group) =>
    ++calls === 2 ? Promise.reject(new Error('the judge is silent')) : Promise.resolve(group.map(() => 0.5));
  const { playing, failures } = setOf(() => Promise.resolve({}), { rank });
  const played = await playing;
  expect(played.map(({ transitions }) => transitions[0].reward)).toEqual([0.5, 0.5, 0.5, 0.5]);
  expect(failures).toEqual(['rollout episode 8: the judge is silent', 'rollout episode 9: the judge is silent']);
});

test('a set that is given up ends its agents', async () => {
  const ended: string[] = [];
  const hooks = { progress: () => {}, interrupted: false };
  const { playing } = setOf(
    ({ name }, signal) =>
      new Promise((_, reject) => {
        hooks.interrupted = true;
        signal.addEventListener('abort', () => {
          ended.push(name);
          reject(signal.reason as Error);
        });
      }),
    {},
    { hooks, givesUp: true },
  );
  await expect(playing).rejects.toThrow(InterruptedError);
  expect(ended).toHaveLength(3);
});
