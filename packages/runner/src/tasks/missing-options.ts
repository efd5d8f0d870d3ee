import { oneProblem, type ConfigProblem } from '@bowyer/core';

/**
 * Reports options that are null.
 *
 * @param needs a phrase for what the task needs, for the message
 * @param remedy an example that gives all of the options
 */
export function missingOptions(
  task: string,
  needs: string,
  options: Readonly<Record<string, unknown>>,
  remedy: string,
): ConfigProblem[] {
  const missing = Object.keys(options).flatMap((key) => (options[key] === null ? [`task.${key}`] : []));
  if (missing.length === 0) return [];
  const are = `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} null`;
  return oneProblem(missing[0], `task=${task} needs ${needs}: ${are}`, remedy);
}
