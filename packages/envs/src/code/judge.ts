import type { CodeOptions } from './options.js';
import { PROGRAM_CHARACTERS, programIn } from './program.js';
import type { Outcome, Sandbox } from './sandbox/sandbox.js';
import type { CodeTask } from './task.js';
import { separated } from './tests.js';
import { withoutTypes } from './typescript.js';

export interface Verdict {
  tests: number;
  passed: number;
  /** The first failed test with its number, which counts from 1; null if all pass. */
  failure: (Omit<Outcome, 'kind'> & { kind: Exclude<Outcome['kind'], 'passed'>; number: number }) | null;
}

/** The tests as JavaScript, cached by task and by kind of reward. */
const compiled = new WeakMap<CodeTask, Partial<Record<CodeOptions['reward'], Promise<readonly string[]>>>>();

/** Extracts the program from a reply and runs the task's tests on it. @throws {Error} if a test cannot be compiled */
export async function judge(reply: string, task: CodeTask, options: CodeOptions, sandbox: Sandbox): Promise<Verdict> {
  const tests = await testsFor(task, options.reward);
  const failed = (kind: 'syntax', text: string) => ({
    tests: tests.length,
    passed: 0,
    failure: { kind, text, number: 1 },
  });
  const written = programIn(reply, task, options);
  if (written.length > PROGRAM_CHARACTERS)
    return failed('syntax', `the program has ${written.length} characters; ${PROGRAM_CHARACTERS} are read`);
  const stripped = task.language === 'typescript' ? await withoutTypes(written) : { code: written };
  if ('fault' in stripped) return failed('syntax', stripped.fault);
  const limits = { milliseconds: options.timeLimitMs, memoryBytes: options.memoryMb * 2 ** 20 };
  const outcomes = await sandbox.run({ program: stripped.code, entryPoint: task.entryPoint, tests, limits });
  return verdictOf(outcomes, task);
}

function verdictOf(outcomes: readonly Outcome[], { id }: CodeTask): Verdict {
  const broken = outcomes.find(({ kind }) => kind === 'broken');
  if (broken !== undefined) throw new Error(`code: a test of the task ${id} cannot be compiled: ${broken.text}`);
  const first = outcomes.findIndex(({ kind }) => kind !== 'passed');
  const passed = outcomes.filter(({ kind }) => kind === 'passed').length;
  const { kind, text } = outcomes[Math.max(first, 0)];
  return { tests: outcomes.length, passed, failure: kind === 'passed' ? null : { kind, text, number: first + 1 } };
}

function testsFor(task: CodeTask, reward: CodeOptions['reward']): Promise<readonly string[]> {
  const known = compiled.get(task) ?? {};
  compiled.set(task, known);
  return (known[reward] ??= compile(task, reward === 'all' ? [inOne(task)] : task.tests.flatMap(separated)));
}

/** Joins the tests into one program. Each test is in a block of its own, since two may declare the same name. */
const inOne = ({ tests }: CodeTask): string =>
  tests.length === 1 ? tests[0] : tests.map((test) => `{\n${test}\n}`).join('\n');

async function compile({ id, language }: CodeTask, tests: readonly string[]): Promise<readonly string[]> {
  if (language === 'javascript') return tests;
  return Promise.all(
    tests.map(async (test) => {
      const stripped = await withoutTypes(test);
      if ('fault' in stripped) throw new Error(`code: a test of the task ${id} cannot be compiled: ${stripped.fault}`);
      return stripped.code;
    }),
  );
}
