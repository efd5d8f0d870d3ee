// Runs the programs of suites, and reads their reports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from './suite.js';

/** Lets the files of a folder import the packages that are installed in another one. */
export function linkPackages(folder: string, installed: string): void {
  const link = join(folder, 'node_modules');
  if (!existsSync(link)) symlinkSync(join(installed, 'node_modules'), link);
}

/** Runs a program in a folder and returns its standard output, whatever its exit code, since tests may fail. */
export async function outputOf(
  command: readonly [program: string, ...given: string[]],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program, ...given] = command;
  const child = spawn(program, given, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let text = '';
  for await (const piece of child.stdout.setEncoding('utf8')) text += piece as string;
  await ended;
  return text;
}

interface JestReport {
  testResults: {
    name: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}

/** Reads the JSON report of Jest or Vitest; a file that could not be run counts as a failed case. */
export function jestCases(file: string): CaseResult[] {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
  return testResults.flatMap(({ name, message, assertionResults }): CaseResult[] => {
    if (assertionResults.length === 0) return [{ name, outcome: 'failed', detail: message }];
    return assertionResults.map(({ fullName, status, failureMessages = [] }) => ({
      name: fullName.trim(),
      outcome: status === 'passed' || status === 'failed' ? status : 'skipped',
      detail: failureMessages.join('\n').split('\n    at ')[0],
    }));
  });
}

/** Runs the tests of a folder with the Vitest that is installed in another one. */
export async function vitestCases(
  folder: string,
  installed: string,
  env: Readonly<Record<string, string>>,
): Promise<CaseResult[]> {
  const vitest = join(installed, 'node_modules/vitest/vitest.mjs');
  const given = ['run', '--root', '.', '--testTimeout=60000', '--reporter=json', '--outputFile=report.json'];
  await outputOf([process.execPath, vitest, ...given], folder, env);
  return jestCases(join(folder, 'report.json'));
}

interface PytestRun {
  /** The working directory of pytest. */
  readonly folder: string;
  /** The virtual environment. */
  readonly python: string;
  /** The folder of the report. */
  readonly work: string;
  /** Files, and further options of pytest. */
  readonly given: readonly string[];
}

interface RecordedPytest extends Omit<PytestRun, 'work'> {
  readonly paths: readonly string[];
  readonly plugins?: readonly string[];
}

/** Runs pytest and reads its JUnit XML report, which has a case for each test. */
export async function pytestCases(
  { folder, python, work, given }: PytestRun,
  env: Readonly<Record<string, string>> = {},
): Promise<CaseResult[]> {
  const report = join(work, 'junit.xml');
  const options = ['-q', '--tb=line', '-p', 'no:cacheprovider', '-o', 'junit_family=xunit2', `--junitxml=${report}`];
  await outputOf([join(python, 'bin/python'), '-m', 'pytest', ...options, ...given], folder, env);
  return junitCases(readFileSync(report, 'utf8'));
}

/**
 * Runs pytest with plugins that record what the tests give to a library; the tests themselves may fail.
 *
 * @param options.paths the folders of Python modules, among them the one of the plugins
 * @param options.plugins the modules of the plugins
 * @returns the last line of its output, which has the numbers of passed and failed tests
 */
export async function recordPytest(
  { folder, python, given, paths, plugins = ['recorder'] }: RecordedPytest,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const named = [...plugins, 'no:cacheprovider'].flatMap((name) => ['-p', name]);
  const command = [join(python, 'bin/python'), '-m', 'pytest', '-q', '--tb=no', ...named, ...given] as const;
  const variables = { PYTHONPATH: paths.join(':'), PYTHONDONTWRITEBYTECODE: '1', OMP_NUM_THREADS: '1', ...env };
  return (await outputOf(command, folder, variables)).trim().split('\n').at(-1)!;
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&', '#10': ' ' };
const unescaped = (text: string): string =>
  text.replaceAll(/&(quot|apos|lt|gt|amp|#10);/g, (_, name: string) => ENTITIES[name]);

/** Reads the cases of a JUnit XML report. */
export function junitCases(xml: string): CaseResult[] {
  return [...xml.matchAll(/<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)].map(([, attributes, content = '']) => {
    const of = (name: string): string => unescaped(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
    const [, kind = 'passed', detail] = /<(failure|error|skipped)[^>]*?message="([^"]*)"/s.exec(content) ?? [];
    const outcome = kind === 'passed' || kind === 'skipped' ? kind : 'failed';
    return { name: `${of('classname')} ${of('name')}`, outcome, detail: detail && unescaped(detail) };
  });
}
