// Tests that every on-policy algorithm learns from an agent's rollouts.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { trainAgent } from '../src/index.js';
import { answerTo, colourModel, tasks, type ColourTask } from './colour-agent.js';

let folder: string;
let model: string;
let teacher: string;
beforeAll(async () => {
  model = await colourModel();
  teacher = await colourModel('', 3);
  folder = newFolder();
});
afterAll(() => Promise.all([model, teacher, folder].map((one) => rm(one, { recursive: true }))));

const grouped = { groupSize: 4, minibatchSize: 8 };
const options: Record<string, Record<string, unknown> | (() => Record<string, unknown>)> = {
  reinforce_pp: grouped,
  gigpo: grouped,
  hgpo: grouped,
  opd: () => ({ minibatchSize: 8, teacher }),
  ppo: { warmupIter: 0, innerEpochs: 1, minibatchSize: 4 },
  dpo: grouped,
  online_filteredbc: { warmupIter: 0, actorEpochs: 1, batchSize: 4 },
  archer: { warmupIter: 0, actorEpochs: 1, epochs: 1, batchSize: 4, capacity: 50, 'critic.width': 16, maxNewTokens: 4 },
};

/** Asks twice. */
const run = async (task: ColourTask, context: Parameters<typeof answerTo>[1]) => {
  const answers = [await answerTo(task, context), await answerTo(task, context)];
  return answers.filter((answer) => answer === task.shown).length - answers.join('').length / 100;
};

test.each(Object.keys(options))(
  '%s',
  async (algorithm) => {
    const own = options[algorithm];
    const { directory } = await trainAgent({
      model,
      tasks,
      run,
      algorithm,
      iterations: 1,
      rolloutSize: 8,
      evalFreq: 100,
      evalSize: 2,
      testSize: 2,
      threads: 1,
      lmLr: 0.01,
      ...(algorithm === 'opd' && { updateKl: null }), // at this rate `update_kl` would undo the update
      savePath: join(folder, algorithm),
      ...(typeof own === 'function' ? own() : own),
    });
    const lines = (await readFile(join(directory, 'metrics.jsonl'), 'utf8')).trim().split('\n');
    const metrics = JSON.parse(lines.at(-1)!) as Record<string, number>;
    expect(metrics['rollout/episodes']).toBeGreaterThanOrEqual(8); // groups whose rewards are all equal are replaced
    expect(metrics['rollout/episode_turns']).toBe(2);
    expect(metrics['diagnostics/logprob_mismatch']).toBeLessThan(1e-5);
    expect(Math.abs(metrics['diagnostics/kl_sampling'])).toBeGreaterThan(0); // the update has moved the policy
  },
  300_000,
);

test('options of the algorithm may stand in nodes, as in its config', async () => {
  const { directory } = await trainAgent({
    model,
    tasks,
    run,
    algorithm: {
      iterations: 1,
      rollout: { size: 8, groupSize: 4 },
      actor: { lr: 0.01, minibatchSize: 8 },
      eval: { freq: 100, size: 2 },
    },
    task: { testSize: 2 },
    device: { threads: 1 },
    savePath: join(folder, 'nodes'),
  });
  const config = JSON.parse(await readFile(join(directory, 'run-config.json'), 'utf8')) as unknown;
  const algorithm = { name: 'grpo', actor: { lr: 0.01, minibatchSize: 8 } };
  expect(config).toMatchObject({ algorithm, device: { threads: 1 } });
}, 300_000);
