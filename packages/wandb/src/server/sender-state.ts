// Saves how much of a run's log W&B's server has accepted, in a file beside the log, so that a later process can continue sending
// from there.
import { readFile, writeFile } from 'node:fs/promises';
import { namingFile, writeFileAtomically } from '@bowyer/core';
import { NO_BASE, type Base, type StreamName } from './run-projection.js';

export interface SenderState {
  /** The run with its names at the server; null if it was not created there yet. */
  run: { id: string; entity: string; project: string; name: string } | null;
  base: Base;
  /** The number of lines of each stream that the server has accepted, counted from the log's first line. */
  sent: Record<StreamName, number>;
  files: string[];
  /** The `client_id` of each artifact that the server has committed. */
  artifacts: string[];
  /** Whether the server was informed that the run has ended. */
  complete: boolean;
}

export const stateFile = (log: string): string => `${log}.sent.json`;
/** Returns the path of the marker file beside a log. As with W&B's client, the file exists if everything was sent. */
export const syncedFile = (log: string): string => `${log}.synced`;

export async function readState(log: string): Promise<SenderState> {
  const text = await readFile(stateFile(log), 'utf8').catch(() => null);
  if (text !== null) return JSON.parse(text) as SenderState;
  return { run: null, base: NO_BASE, sent: { ...NO_BASE.lines }, files: [], artifacts: [], complete: false };
}

export const writeState = (log: string, state: SenderState): Promise<void> =>
  writeFileAtomically(stateFile(log), `${JSON.stringify(state, null, 1)}\n`);

/** @param bytes the length of the log that was sent */
export const writeSynced = (log: string, bytes: number): Promise<void> =>
  namingFile(syncedFile(log), () => writeFile(syncedFile(log), String(bytes)));
