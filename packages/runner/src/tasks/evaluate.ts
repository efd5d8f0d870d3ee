// task=evaluate: plays a trained policy and says how good it is.
import { join } from 'node:path';
import { evaluate as play, PolicyPlayer } from '@bowyer/algorithms';
import { writeFileAtomically } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { JsonlFile, ProgressBar } from '@bowyer/logging';
import { environmentOf, optimalReturnOf } from '../environments.js';
import { loadPolicy } from '../policy-setup.js';
import { playOptions } from '../recipe-options.js';
import { resultText } from '../results.js';
import type { RunConfig } from '../run-config.js';
import { openDirectory } from '../run-files.js';
import { toRecord } from '../trajectory-record.js';
import type { TaskContext } from './task.js';

export async function evaluate(
  config: RunConfig,
  { directory, print, progress, envParts }: TaskContext,
): Promise<void> {
  const folder = config.checkpointPath ?? config.policyLm;
  if (folder === null) {
    throw new Error(
      'task=evaluate needs a policy: checkpoint_path is null\n' +
        '  give a model folder, for instance checkpoint_path=RUN_FOLDER/checkpoints/best',
    );
  }
  await openDirectory(directory, { ...config });
  const device = await openDevice({ device: config.device, threads: config.threads || undefined });
  try {
    const policy = await loadPolicy(folder, config, device);
    const bar = new ProgressBar('episodes', config.testSize, progress);
    const hooks = { progress: (_: string, done: number) => bar.update(done) };
    const { metrics, trajectories } = await play(
      { makeEnv: environmentOf(config, envParts), hooks },
      (sampling) => PolicyPlayer.open(policy, config.slots, sampling),
      { ...playOptions(config, policy.tokenizer), evalSize: config.testSize, evalDoSample: config.evalDoSample },
      'test',
    );
    bar.finish();
    const episodes = await JsonlFile.open(join(directory, 'trajectories', 'test.jsonl'), 0);
    await episodes.append(...trajectories.map((trajectory) => toRecord(trajectory, 0)));
    const results = {
      iterations: 0,
      policies: [{ name: folder, metrics }],
      optimalReturn: optimalReturnOf(config),
      calibration: null,
    };
    await writeFileAtomically(join(directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
    print(`${resultText(results)}\n`);
  } finally {
    await device.close();
  }
}
