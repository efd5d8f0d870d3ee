// Starts to send a run's log to W&B's server, for a run in progress or for `syncRuns`. It locks the log against other senders and
// reports failures as warnings.
import { Rng, withFileLock, type LockHolder } from '@bowyer/core';
import type { Advice } from '../place/advice.js';
import { pagesOf, type Environment } from '../place/api-key.js';
import { WandbClient } from './client.js';
import type { RunPlace } from '../place/run-place.js';
import { Sender } from './sender.js';
import { stateFile, syncedFile } from './sender-state.js';
import { paceOf, type Resume } from '../place/settings.js';
import { WandbError } from './wandb-error.js';

export interface SendOptions {
  place: RunPlace;
  baseUrl: string;
  key: string;
  env: Environment;
  resume: Resume;
  note: (message: string) => void;
  warn: (message: string) => void;
  onStop: () => void;
  /** Makes the error to throw if another process is sending the log; null: wait until that process ends. */
  refuse: ((holder: LockHolder) => Error) | null;
  /** Returns the command that sends the run in a folder, which warnings contain. */
  syncCommand: Advice['sync'];
}

export interface Sending {
  /** Signals that the log is complete, so that sending can end. */
  end(): void;
  abort(): void;
  /** Resolves to whether everything was sent. It is rejected only with the error that `refuse` makes. */
  done: Promise<boolean>;
}

/** The number of failed attempts of a request after which the user is warned. */
const TOLD_AFTER = 3;

export function startSending(options: SendOptions): Sending {
  const { place, baseUrl, key, env, note, warn, onStop, resume, refuse } = options;
  const cancel = new AbortController();
  const pace = paceOf(env);
  const rng = Rng.forPurpose(process.pid, 'retries of W&B'); // only to vary the times between attempts
  let isSilent = false;
  const onRetry = (error: WandbError, attempt: number) => {
    if (attempt !== TOLD_AFTER || isSilent) return;
    isSilent = true;
    warn(`W&B cannot be reached: ${error.message}\n  the run continues; its figures are on disk and are sent later`);
  };
  const client = new WandbClient({
    baseUrl,
    key,
    env,
    ...pace,
    random: () => rng.uniform(),
    onRetry,
    signal: cancel.signal,
  });
  const onRun = ({ entity, project, name }: { entity: string; project: string; name: string }) =>
    note(`W&B: ${[pagesOf(baseUrl, env), entity, project, 'runs', name].join('/')}`);
  const sender = new Sender({ client, place, resume, ...pace, onRun, onStop, warn, signal: cancel.signal });
  const protects = [stateFile(place.log), syncedFile(place.log)];
  const done = withFileLock(`${place.log}.lock`, () => sender.run(), { protects, ...(refuse && { refuse }) })
    .then(() => true)
    .catch((error: Error) => {
      if (cancel.signal.aborted) return false;
      if (!(error instanceof WandbError)) throw error;
      warn(failureText(error, options));
      return false;
    })
    .finally(() => client.close());
  return { end: () => sender.end(), abort: () => cancel.abort(), done };
}

function failureText(error: WandbError, { baseUrl, place, syncCommand }: SendOptions): string {
  const reason = error.isAuthentication
    ? `the key is not valid for ${baseUrl}, or has expired (status ${error.status})`
    : error.message;
  const remedy = error.isAuthentication ? 'with a valid WANDB_API_KEY' : 'when this is fixed';
  return `W&B: ${reason}\n  nothing more is sent in this process; the run is on disk\n  ${remedy}: ${syncCommand(place.folder)}`;
}
