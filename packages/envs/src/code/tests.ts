// Reads the unit tests of a programming task: one text, or a list of texts.
import { Script } from 'node:vm';
import type { Row } from '../table-file.js';
import { cellOf, LineError, textCell } from '../task-lines.js';
import type { CodeLanguage } from './task.js';
// The sandbox's modules are not compiled but shipped in src; this path reaches them from src and from dist.
import { assertions, newAccount } from '../../src/code/sandbox/realm/assertions.mjs';

const columns = ['tests', 'test', 'test_list'] as const;

/** The names of the functions of node:assert that the sandbox provides to tests. */
const members = Object.keys(assertions(newAccount()));

interface TestSource {
  tests: readonly string[];
  /** Returns the setup code, the test, and the call of HumanEval's `check` if the test defines that function. */
  withSetup: (entryPoint: string | null) => string[];
}

/** Throws LineError if there is no test, or one needs a module or an assertion that the sandbox lacks, or does not compile. */
export function testsOf(row: Row, language: CodeLanguage): TestSource {
  const tests = textsOf(row);
  for (const test of tests) {
    assertKnown(test);
    if (language === 'javascript') assertCompiles(test);
  }
  const setup = textCell(row, 'test_setup_code');
  return {
    tests,
    withSetup: (entryPoint) =>
      tests.map((test) => `${setup === null ? '' : `${setup}\n`}${test}${callOfCheck(test, entryPoint)}`),
  };
}

function textsOf(row: Row): string[] {
  const given = cellOf(row, columns);
  if (given === undefined) throw new LineError('no tests: they stand in tests, test or test_list');
  const tests = [given].flat();
  if (tests.length > 0 && tests.every((test) => typeof test === 'string' && test.trim() !== ''))
    return tests as string[];
  throw new LineError(`the tests (${columns.join(', ')}) must be a text or a list of texts`);
}

function assertKnown(test: string): void {
  if (!/\bassert\b/.test(test)) throw new LineError('a test has no assert, so that every program would pass');
  const member = [...test.matchAll(/\bassert\.(\w+)/g)]
    .map(([, name]) => name!)
    .find((name) => !members.includes(name));
  if (member !== undefined)
    throw new LineError(`assert.${member} is not in the sandbox, which has ${members.join(', ')}`);
  const module = [...test.matchAll(/\brequire\(\s*['"]([^'"]*)['"]/g)].map(([, name]) => name!).find(isOther);
  if (module !== undefined) throw new LineError(`the module '${module}' is not in the sandbox, which has assert alone`);
}

/** MultiPL-E's translation of a docstring may have a line break inside a string, which does not compile. */
function assertCompiles(test: string): void {
  try {
    new Script(`async () => {\n${test}\n}`, { lineOffset: -1 });
  } catch (error) {
    throw new LineError(`a test is not JavaScript: ${(error as Error).message}`);
  }
}

const isOther = (module: string) => !/^(?:node:)?assert(?:\/strict)?$/.test(module);

/** Returns code that calls `check(candidate)` if the test defines this function, as HumanEval's tests do without calling it. */
function callOfCheck(test: string, entryPoint: string | null): string {
  const isDefined = /\bfunction check\s*\(|\bcheck\s*=/.test(test);
  const isCalled = /^\s*check\(/m.test(test);
  return entryPoint !== null && isDefined && !isCalled ? `\ncheck(${entryPoint});` : '';
}

/** Splits a test into one per assertion if each is on its own line. All other lines are repeated in each test. */
export function separated(test: string): string[] {
  const lines = test.split('\n');
  const own = lines.flatMap((line, i) => (ASSERTION_LINE.test(line) ? [i] : []));
  const count = [...test.matchAll(/\bassert(?:\.\w+)*\(/g)].length;
  if (own.length < 2 || own.length !== count) return [test];
  return own.map((kept) => lines.filter((_, i) => i === kept || !own.includes(i)).join('\n'));
}

const ASSERTION_LINE = /^\s*(?:await )?(?:console\.)?assert(?:\.\w+)*\(.*\);?\s*$/;
