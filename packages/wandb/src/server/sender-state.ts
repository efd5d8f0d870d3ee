// Saves how much of a run's log the server has accepted, in a file beside the log, so that a later sender continues from there.
import { readFile, writeFile } from 'node:fs/promises';
import { namingFile, writeFileAtomically } from '@bowyer/core';
import { NO_BASE, type Base, type StreamName } from './run-projection.js';

export interface SenderState {
  /** The run under its names at the server; null before it was created there. */
  run: { id: string; entity: string; project: string; name: string } | null;
  base: Base;
  /** The numbers of accepted lines, counted from the log's first. */
  sent: Record<StreamName, number>;
  files: string[];
  /** The `client_id` of each committed artifact. */
  artifacts: string[];
  /** Whether the server knows the end of the run. */
  complete: boolean;
}

export const stateFile = (log: string): string => `${log}.sent.json`;
/** Returns the path of the marker file. As with W&B's client, it exists if everything was sent. */
export const syncedFile = (log: string): string => `${log}.synced`;

export async function readState(log: string): Promise<SenderState> {
  const text = await readFile(stateFile(log), 'utf8').catch(() => null);
  if (text !== null) return JSON.parse(text) as SenderState;
  return { run: null, base: NO_BASE, sent: { ...NO_BASE.lines }, files: [], artifacts: [], complete: false };
}

export const writeState = (log: string, state: SenderState): Promise<void> =>
  writeFileAtomically(stateFile(log), `${JSON.stringify(state, null, 1)}\n`);

/** Writes the marker file. @param bytes length of the sent log */
export const writeSynced = (log: string, bytes: number): Promise<void> =>
  namingFile(syncedFile(log), () => writeFile(syncedFile(log), String(bytes)));
