import type { Verdict } from './judge.js';
import type { CodeOptions } from './options.js';

export function failureText({ tests, failure }: Verdict, options: CodeOptions): string {
  const { kind, text, number } = failure!;
  const test = tests === 1 ? 'The tests' : `Test ${number} of ${tests}`;
  switch (kind) {
    case 'syntax':
      return `The program cannot be compiled: ${text}.`;
    case 'missing':
      return `The program declares no ${text}.`;
    case 'time':
      return `${test} did not end within ${options.timeLimitMs / 1000} s.`;
    case 'memory':
      return `${test} needed more than ${options.memoryMb} MiB of memory.`;
    case 'error':
      return `${test} failed with an error: ${text}.`;
    default:
      return options.showTests ? `${test} failed: ${text}.` : `${test} failed: a result is wrong.`;
  }
}
