// Records in starts.jsonl each time that a run is started, with the command and the commit, and how it ended. Reports read this
// file; the run's results do not depend on it.
import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { namingFile, shellQuoted } from '@bowyer/core';
import { wholeLines } from './read-files.js';

const FILE = 'starts.jsonl';

interface StartLine {
  event: 'start' | 'end';
  /** In ISO 8601. */
  time: string;
  command?: string;
  /** The git commit of the program that runs, with `+` if there were uncommitted changes; absent for an installed package. */
  commit?: string;
  node?: string;
  /** How the process ended: `finished`, `interrupted`, `stopped by the guard` or `failed`. */
  status?: EndStatus;
  /** The first line of the error with which the process failed. */
  reason?: string;
}

export type EndStatus = 'finished' | 'interrupted' | 'stopped by the guard' | 'failed';

export interface Starts {
  first: string | null;
  /** The time at which the run last ended; null while it runs, and after a kill. */
  last: string | null;
  count: number;
  command: string | null;
  commit: string | null;
  /** How the run last ended; null while it runs, and after a kill. */
  end: { status: EndStatus; reason: string | null } | null;
}

/** @param isLibrary whether a user's program runs the task as a library; the program's command is then recorded */
export async function recordStart(directory: string, isLibrary: boolean): Promise<void> {
  const commit = await commitOf(import.meta.dirname);
  const [, script, ...words] = process.argv;
  // A program that was typed or piped into node has no file name.
  const own = ['node', ...(script === undefined ? [] : [relative(process.cwd(), script)])];
  const program = isLibrary ? own : ['bowyer'];
  const command = [...program, ...words.map(withoutSecret)].map(shellQuoted).join(' ');
  await append(directory, { event: 'start', command, ...(commit && { commit }), node: process.version });
}

export async function recordEnd(directory: string, status: EndStatus, reason?: string): Promise<void> {
  await append(directory, { event: 'end', status, ...(reason !== undefined && { reason }) });
}

async function append(directory: string, line: Omit<StartLine, 'time'>): Promise<void> {
  const { event, ...rest } = line;
  const text = `${JSON.stringify({ event, time: new Date().toISOString(), ...rest })}\n`;
  await namingFile(join(directory, FILE), () => appendFile(join(directory, FILE), text));
}

export async function readStarts(directory: string): Promise<Starts> {
  const text = await readFile(join(directory, FILE), 'utf8').catch(() => '');
  const lines = wholeLines<StartLine>(text);
  const starts = lines.filter(({ event }) => event === 'start');
  const last = lines.at(-1);
  return {
    first: starts[0]?.time ?? null,
    last: last?.event === 'end' ? last.time : null,
    count: starts.length,
    command: starts.at(-1)?.command ?? null,
    commit: starts.at(-1)?.commit ?? null,
    end: last?.event === 'end' ? { status: last.status!, reason: last.reason ?? null } : null,
  };
}

/** Replaces the value of an override by `…` if its key names a secret. */
export function withoutSecret(word: string): string {
  return word.replace(/^([+~]*[\w./@]*(?:key|token|secret|password))=.+$/i, '$1=…');
}

/** Null without a checkout or without git. */
async function commitOf(folder: string): Promise<string | null> {
  const git = async (...args: string[]) => (await promisify(execFile)('git', ['-C', folder, ...args])).stdout.trim();
  try {
    const [commit, changes] = await Promise.all([
      git('rev-parse', '--short=12', 'HEAD'),
      git('status', '--porcelain', '--untracked-files=no'),
    ]);
    return changes === '' ? commit : `${commit}+`;
  } catch {
    return null;
  }
}
