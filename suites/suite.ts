// The form of a suite: somebody else's tests, taken as they are, and what they found.

/**
 * Names where a suite's files come from, pinned: a package of npm or of PyPI, or a commit of a repository at GitHub. `with` names the
 * packages that are installed beside it (`NAME@VERSION`, of PyPI `NAME==VERSION`), `paths` the files and folders that are needed of a repository.
 */
export type Source =
  | { readonly npm: string; readonly version: string; readonly with?: readonly string[] }
  | { readonly pip: string; readonly version: string; readonly with?: readonly string[] }
  | { readonly github: string; readonly commit: string; readonly version: string; readonly paths?: readonly string[] };

/** Describes how one case of a suite ended. `name` is unique within the suite; `detail` says in one line what failed. */
export interface CaseResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly detail?: string;
}

/** Holds what a suite is run with: a folder for each source, in the order of `sources`, and a folder for what it writes. */
export interface SuiteContext {
  readonly folders: readonly string[];
  readonly work: string;
  /** Prints a line of progress. */
  readonly log: (line: string) => void;
  /** Adds a sentence to the page: what the run measured beside its cases. */
  readonly measured: (sentence: string) => void;
}

/**
 * Describes one suite; `suites/NAME/suite.ts` exports it as its default. Beside it, `expected.json` lists the reasons, each one that the
 * suite's author would accept, for which cases fail or are skipped: `{ reason, count, cases }`, where a `*` in the name of a case stands
 * for any text, and another number of cases than `count` is a failure, so that no `*` hides one.
 */
export interface Suite {
  readonly title: string;
  /** The part of Bowyer that is tested, as the page names it. */
  readonly against: string;
  readonly sources: readonly Source[];
  /** Whether `--check` runs it: only suites that take seconds, of npm and of small repositories. */
  readonly inCheck: boolean;
  /** One or more sentences for the page: how it is run, and what a tiny model cannot show. */
  readonly notes?: string;
  run(context: SuiteContext): Promise<readonly CaseResult[]>;
}

/** Holds what `suites/NAME/result.json` keeps of the last run, from which docs/suites.md is written. */
export interface SuiteResult {
  readonly versions: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The number of failed and skipped cases for each reason. */
  readonly reasons: readonly { readonly reason: string; readonly cases: number }[];
  /** The measurements beside the cases, a sentence each. */
  readonly measured?: readonly string[];
  readonly minutes: number;
}
