import { join } from 'node:path';
import { episodicReturn, writeFileAtomically } from '@bowyer/core';
import { renderReport, type RunReport } from '@bowyer/logging';
import { resultHeader, resultRows, type RunResults } from './results.js';
import type { SharedConfig } from '../config/keys.js';
import { RunFiles } from './run-files.js';
import type { TaskContext } from '../tasks/task.js';

const SAMPLE_DIALOGUES = 6;

type TitleConfig = Pick<SharedConfig, 'projectName' | 'runName'>;

/** Writes the report.html of a run that plays episodes. */
export async function writeReport(
  directory: string,
  config: TitleConfig,
  context: Pick<TaskContext, 'configYaml'>,
  results: RunResults,
): Promise<void> {
  const optimum = results.optimalReturn === null ? [] : [{ name: 'best possible', y: results.optimalReturn }];
  await writeReportOf(directory, config, context, {
    header: resultHeader,
    rows: resultRows(results),
    charts: [
      { title: 'Mean return', keys: ['rollout/episodic_return', 'eval/episodic_return'], references: optimum },
      { title: 'Win rate', keys: ['rollout/win_rate', 'eval/win_rate'] },
      { title: 'Share of questions', keys: ['rollout/invalid_share', 'rollout/repeated_share'] },
      { title: 'Critic against returns', keys: ['eval/q_mean', 'eval/discounted_return_mean'] },
      { title: 'Loss of imitation (nats)', keys: ['losses/nll'] },
      { title: 'Critic losses', keys: ['losses/q1', 'losses/q2', 'losses/v1', 'losses/v2'] },
      { title: 'Advantages', keys: ['actor/advantages_mean', 'actor/advantages_std'] },
      { title: 'Entropy of an utterance (nats)', keys: ['rollout/utterance_entropy'] },
      { title: 'Gradient norms before the clip', keys: ['optim/policy_gradient_norm', 'optim/critic_gradient_norm'] },
    ],
  });
}

/** Writes the run's report.html from its files: a table, curves, the last episodes if there are any, and the config. */
export async function writeReportOf(
  directory: string,
  { projectName, runName }: TitleConfig,
  { configYaml }: Pick<TaskContext, 'configYaml'>,
  parts: Pick<RunReport, 'header' | 'rows' | 'charts' | 'xLabel'>,
): Promise<void> {
  const { metrics, rollouts } = await RunFiles.read(directory);
  const html = renderReport({
    ...parts,
    title: `${projectName}: ${runName}`,
    metrics,
    dialogues: rollouts.slice(-SAMPLE_DIALOGUES).map((trajectory) => ({
      title: `episode ${trajectory.episode}: return ${episodicReturn(trajectory)}`,
      text: trajectory.transitions.at(-1)?.nextObservation ?? '',
    })),
    config: configYaml,
  });
  await writeFileAtomically(join(directory, 'report.html'), html);
}
