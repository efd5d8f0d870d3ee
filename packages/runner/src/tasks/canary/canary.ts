// Implements task=canary: compares the users' feedback on a served model and on its canary (a new model that answers a share of
// the conversations), and changes that share.
import { gainVerdict } from '@bowyer/core';
import { textTable } from '@bowyer/logging';
import { compareArms, readCanary, readRollouts, writeCanary, type Arm, type ArmComparison } from '@bowyer/rollouts';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { canaryOptions } from './unit.js';

type CanaryConfig = TaskConfig<typeof canaryOptions, 'record'>;

export async function canary({ task: { record, share } }: CanaryConfig, { print }: TaskContext): Promise<void> {
  const found = await readCanary(record);
  if (found === null)
    throw new Error(
      `${record}: no canary has been served here\n  serve one: --config-name serve_model task.canary=NAME`,
    );
  print(`${comparisonText(await compareArms(readRollouts(record), found))}\n`);
  if (share !== null) await writeCanary(record, { ...found, share });
  print(`${found.canary} answers ${(share ?? found.share) * 100} % of the conversations with ${found.model}\n`);
}

function comparisonText({ arms, difference, paired }: ArmComparison): string {
  const header = ['model', 'answers', 'rated', 'corrected', 'feedback', '95 % interval', 'tokens', 'seconds'];
  const table = textTable(header, arms.map(rowOf));
  const [{ name: model }, { name: canary }] = arms;
  const line = ({ mean, low, high }: NonNullable<typeof difference>, of: string) =>
    `${canary}: ${gainVerdict({ low, high })} beside ${model}, ${signed(mean)} (95 %: ${signed(low)} … ${signed(high)}) ${of}`;
  return [
    table,
    '',
    difference
      ? line(difference, 'over all conversations')
      : 'both need feedback on two conversations for a comparison',
    ...(paired ? [line(paired, `over ${paired.openings} beginnings of conversations that both have answered`)] : []),
  ].join('\n');
}

function rowOf({ name, answers, rated, corrected, feedback, tokens, seconds }: Arm): string[] {
  const figure = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? '–';
  const interval = feedback && feedback.clusters > 1 ? `${feedback.low.toFixed(2)} … ${feedback.high.toFixed(2)}` : '–';
  const counts = [answers, rated, corrected].map(String);
  return [name, ...counts, figure(feedback?.mean, 2), interval, figure(tokens, 1), figure(seconds, 2)];
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
