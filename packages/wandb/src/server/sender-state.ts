// The part of a run that the server has accepted, beside its log: a sender that starts later continues from there.
import { readFile, writeFile } from 'node:fs/promises';
import { namingFile, writeFileAtomically } from '@bowyer/core';
import { NO_BASE, type Base, type StreamName } from './run-projection.js';

export interface SenderState {
  /** The run as the server has named it; null before it was created there. */
  run: { id: string; entity: string; project: string; name: string } | null;
  base: Base;
  /** Lines that were accepted, counted from the log's first. */
  sent: Record<StreamName, number>;
  /** Run files that were uploaded and are not uploaded again. */
  files: string[];
  /** The `client_id` of each committed artifact. */
  artifacts: string[];
  /** Whether the server knows how the run ended. */
  complete: boolean;
}

export const stateFile = (log: string): string => `${log}.sent.json`;
/** Returns the marker file, which is there when everything was sent, as W&B's own client has it. */
export const syncedFile = (log: string): string => `${log}.synced`;

export async function readState(log: string): Promise<SenderState> {
  const text = await readFile(stateFile(log), 'utf8').catch(() => null);
  if (text !== null) return JSON.parse(text) as SenderState;
  return { run: null, base: NO_BASE, sent: { ...NO_BASE.lines }, files: [], artifacts: [], complete: false };
}

export const writeState = (log: string, state: SenderState): Promise<void> =>
  writeFileAtomically(stateFile(log), `${JSON.stringify(state, null, 1)}\n`);

/** Writes the marker file. @param bytes of the log that were sent */
export const writeSynced = (log: string, bytes: number): Promise<void> =>
  namingFile(syncedFile(log), () => writeFile(syncedFile(log), String(bytes)));
