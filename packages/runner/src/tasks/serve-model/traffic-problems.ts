// Reports, before a model server starts, settings of the recording of requests and of the canary (a new model that answers a
// share of the conversations) that contradict each other.
import type { ConfigProblem } from '@bowyer/core';

interface TrafficKeys {
  record?: string | null;
  recordRedact?: readonly string[];
  canary?: string | null;
  adapters?: Readonly<Record<string, string>> | null;
}

export function trafficProblems({ record, recordRedact = [], canary, adapters }: TrafficKeys): ConfigProblem[] {
  const problems: ConfigProblem[] = recordRedact.flatMap((pattern) => patternProblem(pattern) ?? []);
  if ((record ?? null) === null)
    for (const [key, value] of Object.entries({
      'task.canary': canary,
      'task.record_redact': recordRedact.length > 0 ? recordRedact : null,
    }))
      if ((value ?? null) !== null)
        problems.push({ key, message: `${key} needs task.record, which is null`, remedy: 'give task.record=FOLDER' });
  if ((canary ?? null) !== null && !Object.hasOwn(adapters ?? {}, canary!))
    problems.push({
      key: 'task.canary',
      message: `task.canary=${canary} is not in task.adapters (${Object.keys(adapters ?? {}).join(', ') || 'there are none'})`,
      remedy: `give its folder: task.adapters={${canary}: FOLDER}`,
    });
  return problems;
}

function patternProblem(pattern: string): ConfigProblem | null {
  try {
    new RegExp(pattern, 'g');
    return null;
  } catch (error) {
    return {
      key: 'task.record_redact',
      message: `task.record_redact: ${(error as Error).message}`,
      remedy: 'write regular expressions of JavaScript; in YAML, in single quotes',
    };
  }
}
