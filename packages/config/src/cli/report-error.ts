// What the user sees when something goes wrong: what, where and how to mend it; a stack trace only on request.
import { pythonRepr } from '../python-text.js';
import type { Composition } from '../composition.js';
import type { Session } from './session.js';

type ErrorOutput = Pick<Session, 'stderr' | 'env'>;

const isFull = ({ env }: ErrorOutput) => (env.HYDRA_FULL_ERROR ?? '0') !== '0' && env.HYDRA_FULL_ERROR !== '';

/** The message, then how to get more. */
export function reportError(error: unknown, output: ErrorOutput): void {
  output.stderr.write(`${errorText(error, output)}\n`);
  hintAtFullError(output);
}

/** A failed job: which one, then its error. */
export function reportJobFailure(error: unknown, overrides: readonly string[], output: ErrorOutput): void {
  output.stderr.write(
    `Error executing job with overrides: [${overrides.map(pythonRepr).join(', ')}]\n${errorText(error, output)}\n`,
  );
}

export function hintAtFullError(output: ErrorOutput): void {
  if (isFull(output)) return;
  output.stderr.write('\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n');
}

/** What composing and checking a config found worth telling. Hydra is silent about a missing `_self_` here; so are we. */
export function printWarnings({ stderr }: ErrorOutput, { warnings }: Composition): void {
  const told = warnings.filter((warning) => !warning.includes(`has no '_self_'`));
  for (const warning of new Set(told)) stderr.write(`warning: ${warning}\n`);
}

export function errorText(error: unknown, output: ErrorOutput): string {
  if (!(error instanceof Error)) return String(error);
  const own = isFull(output) ? (error.stack ?? error.message) : error.message || error.name;
  const { cause } = error;
  // A config error already tells what its cause said.
  if (!(cause instanceof Error) || (error.name === 'ConfigError' && !isFull(output))) return own;
  return `${own}\ncaused by: ${errorText(cause, output)}`;
}
