// Prints errors: what is wrong, where, and how to fix it; a stack trace only on request.
import { pythonRepr } from '../python-text.js';
import type { Composition } from '../composition.js';
import type { Session } from './session.js';
import { writeLines } from './terminal-lines.js';

type ErrorOutput = Pick<Session, 'stderr' | 'env'>;

const isFull = ({ env }: ErrorOutput) => (env.HYDRA_FULL_ERROR ?? '0') !== '0' && env.HYDRA_FULL_ERROR !== '';

export function reportError(error: unknown, output: ErrorOutput): void {
  writeLines(output.stderr, errorText(error, output));
  hintAtFullError(output);
}

export function reportJobFailure(error: unknown, overrides: readonly string[], output: ErrorOutput): void {
  writeLines(
    output.stderr,
    `Error executing job with overrides: [${overrides.map(pythonRepr).join(', ')}]\n${errorText(error, output)}`,
  );
}

export function hintAtFullError(output: ErrorOutput): void {
  if (isFull(output)) return;
  output.stderr.write('\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n');
}

/** Omits the warning of a missing `_self_`, which Hydra does not print either. */
export function printWarnings({ stderr }: ErrorOutput, { warnings }: Composition): void {
  const shown = warnings.filter((warning) => !warning.includes(`has no '_self_'`));
  for (const warning of new Set(shown)) writeLines(stderr, `warning: ${warning}`);
}

export function errorText(error: unknown, output: ErrorOutput): string {
  if (!(error instanceof Error)) return String(error);
  const own = isFull(output) ? (error.stack ?? error.message) : error.message || error.name;
  const cause = isFull(output) ? error.cause : furtherCause(error);
  return cause instanceof Error ? `${own}\ncaused by: ${errorText(cause, output)}` : own;
}

/** Finds the nearest cause of an error; a ConfigError has none, since its message already describes the cause. */
function furtherCause(error: Error): unknown {
  if (error.name === 'ConfigError') return undefined;
  let { cause } = error;
  while (cause instanceof Error && error.message.includes(cause.message)) ({ cause } = cause);
  return cause;
}
