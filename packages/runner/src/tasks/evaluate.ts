// task=evaluate: plays a trained policy and says how good it is.
import { join } from 'node:path';
import { evaluate as play } from '@bowyer/algorithms';
import { writeFileAtomically } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { JsonlFile, ProgressBar } from '@bowyer/logging';
import { EndpointPlayer } from '../endpoint-player.js';
import { environmentOf, optimalReturnOf } from '../environments.js';
import { playerOf } from '../players.js';
import { loadPolicy } from '../policy-setup.js';
import { playOptions } from '../recipe-options.js';
import { resultText } from '../results.js';
import { deviceOf } from '../device-choice.js';
import type { RunConfig } from '../run-config.js';
import { openDirectory } from '../run-files.js';
import { toRecord } from '../trajectory-record.js';
import type { TaskContext } from './task.js';

export async function evaluate(
  config: RunConfig,
  { directory, print, progress, log, envParts }: TaskContext,
): Promise<void> {
  if (config.policy.endpoint)
    return evaluateEndpoint(config, config.policy.endpoint, { directory, print, progress, envParts });
  const folder = config.checkpointPath ?? config.policyLm;
  if (folder === null) {
    throw new Error(
      'task=evaluate needs a policy: checkpoint_path is null\n' +
        '  give a model folder, for instance checkpoint_path=RUN_FOLDER/checkpoints/best',
    );
  }
  await openDirectory(directory, { ...config });
  const device = await openDevice(deviceOf(config));
  try {
    const policy = await loadPolicy(folder, config, device);
    const bar = new ProgressBar('episodes', config.testSize, progress);
    const hooks = { progress: (_: string, done: number) => bar.update(done) };
    const { metrics, trajectories } = await play(
      { makeEnv: environmentOf(config, envParts), hooks },
      playerOf(policy, config, { envParts, log }),
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

type EndpointContext = Pick<TaskContext, 'directory' | 'print' | 'progress' | 'envParts'>;

/** The same episodes, played by a chat endpoint; nothing of a model is loaded. */
async function evaluateEndpoint(
  config: RunConfig,
  endpoint: NonNullable<RunConfig['policy']['endpoint']>,
  { directory, print, progress, envParts }: EndpointContext,
): Promise<void> {
  await openDirectory(directory, { ...config });
  const player = EndpointPlayer.open(endpoint, config.eosStr);
  const failures: Error[] = [];
  const bar = new ProgressBar('episodes', config.testSize, progress);
  const { seed, slots, temperature, topK, topP, maxNewTokens, maxFailureShare, testSize, evalDoSample } = config;
  const { metrics, trajectories } = await play(
    {
      makeEnv: environmentOf(config, envParts),
      hooks: { progress: (_, done) => bar.update(done) },
      onFailure: (error) => failures.push(error),
    },
    () => Promise.resolve(player),
    {
      ...{ seed, slots, maxFailureShare, evalSize: testSize, evalDoSample },
      sampling: { temperature, topK, topP, greedy: false, maxNewTokens, terminatorIds: [] },
    },
    'test',
  );
  bar.finish();
  const episodes = await JsonlFile.open(join(directory, 'trajectories', 'test.jsonl'), 0);
  await episodes.append(...trajectories.map((trajectory) => toRecord(trajectory, 0)));
  const optimalReturn = optimalReturnOf(config);
  const results = { iterations: 0, policies: [{ name: endpoint.model, metrics }], optimalReturn, calibration: null };
  await writeFileAtomically(join(directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  const failed = failures.length === 0 ? '' : `${failures.length} more failed, the first: ${failures[0].message}\n`;
  print(`${resultText(results)}\n${failed}\n${player.usageText()}\n`);
}
