// Defines the types of a suite: tests of another project, unchanged, and their results.

/**
 * The pinned source of a suite's files: a package of npm or of PyPI, or a commit of a GitHub repository. `with` lists packages to
 * install beside it (`NAME@VERSION`, of PyPI `NAME==VERSION`), `paths` the needed files and folders of a repository.
 */
export type Source =
  | { readonly npm: string; readonly version: string; readonly with?: readonly string[] }
  | { readonly pip: string; readonly version: string; readonly with?: readonly string[] }
  | { readonly github: string; readonly commit: string; readonly version: string; readonly paths?: readonly string[] };

/** The outcome of one case of a suite. `name` is unique within the suite; `detail` is one line about a failure. */
export interface CaseResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly detail?: string;
}

/** The folders for a suite's run: one for each source, in the order of `sources`, and one for its output. */
export interface SuiteContext {
  readonly folders: readonly string[];
  readonly work: string;
  /** Prints a line of progress. */
  readonly log: (line: string) => void;
  /** Adds a sentence to the page about a measurement of the run. */
  readonly measured: (sentence: string) => void;
}

/**
 * One suite, the default export of `suites/NAME/suite.ts`. Beside it, `expected.json` lists the reasons for which cases fail or
 * are skipped, each of which the suite's author would accept: `{ reason, count, cases }`. A `*` in the name of a case matches any
 * text, and a number of cases other than `count` is a failure, so that no `*` hides one.
 */
export interface Suite {
  readonly title: string;
  /** The tested part of Bowyer, as the page names it. */
  readonly against: string;
  readonly sources: readonly Source[];
  /** Whether `--check` runs it, which is true only for suites of npm and of small repositories that take seconds. */
  readonly inCheck: boolean;
  /** Sentences for the page: how it is run, and what a tiny model cannot show. */
  readonly notes?: string;
  run(context: SuiteContext): Promise<readonly CaseResult[]>;
}

/** The contents of `suites/NAME/result.json`, the last run's result, from which docs/suites.md is written. */
export interface SuiteResult {
  readonly versions: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The number of failed and skipped cases for each reason. */
  readonly reasons: readonly { readonly reason: string; readonly cases: number }[];
  /** One sentence for each measurement of the run. */
  readonly measured?: readonly string[];
  readonly minutes: number;
}
