// Reads files of recorded conversations, in any format of this package, for imitation learning, preference pairs and replay.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { isGzip } from '@bowyer/core';
import { lossWeight } from '@bowyer/text';
import { BadItem, DataFileError } from './files/data-error.js';
import { readDataFile, type DataFile } from './files/data-file.js';
import { dataFilesIn, isFolder, recordFolderOf } from './files/data-folder.js';
import { UnreadKeys } from './files/unread-keys.js';
import { EXPECTED_CONVERSATION } from './formats/chat.js';
import { FORMATS, formatOf, isTrace, MARKS } from './formats/detect.js';
import type { RecordedDialogue } from './formats/format.js';
import { wholeDialogues } from './formats/whole-dialogues.js';

const HEAD_BYTES = 65_536;

/** The results of `isConversationFile` by path, modification time and size, since several modules ask for the same file. */
const known = new Map<string, boolean>();

/** Returns whether a file's first keys are those of chat conversations, not of episodes; false if the file does not exist. */
export function isConversationFile(path: string | null): boolean {
  if (path === null) return false;
  if (recordFolderOf(path) !== null) return true;
  if (isFolder(path)) return dataFilesIn(path).slice(0, 1).some(isConversationFile);
  if (path.endsWith('.parquet')) return true;
  const stat = /\.jsonl?(\.gz)?$/.test(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (!stat?.isFile()) return false;
  const key = JSON.stringify([resolve(path), stat.mtimeMs, stat.size]);
  const begins = known.get(key) ?? beginsWithConversation(path);
  known.set(key, begins);
  return begins;
}

function beginsWithConversation(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, head, 0, HEAD_BYTES, 0);
    const begin = head.subarray(0, length);
    return firstKeys(textOfHead(begin)).some((key) => MARKS.includes(key));
  } finally {
    closeSync(file);
  }
}

function textOfHead(head: Buffer): string {
  if (!isGzip(head)) return head.toString('utf8');
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 16 * HEAD_BYTES }).toString('utf8');
  } catch {
    return ''; // the error appears when the file is read
  }
}

/** Returns the keys of the first JSON object in a text, as far as the text contains them. */
function firstKeys(text: string): string[] {
  const start = /^\uFEFF?\s*\[?\s*\{/.exec(text);
  if (start === null) return [];
  const keys: string[] = [];
  let depth = 1;
  for (const [token, key] of text
    .slice(start[0].length)
    .matchAll(/"((?:[^"\\]|\\.)*)"(?=\s*:)|"(?:[^"\\]|\\.)*"|[[{]|[\]}]/gs)) {
    if (depth === 1 && key !== undefined) keys.push(key);
    if (/^[[{]/.test(token)) depth++;
    else if (/^[\]}]/.test(token) && --depth === 0) break;
  }
  return keys;
}

export interface ConversationOptions {
  /** The name of the file's format, one of FORMAT_NAMES; null to detect it from the keys of each item. */
  format?: string | null;
  /** The split to read, for a folder with files of several splits, such as train and test. */
  split?: string | null;
  /** Whether preference pairs are allowed. Default: false, since imitation learning would learn both answers of a pair. */
  preferences?: boolean;
}

/** The conversations of a file, with notes that must be shown to the user before training begins. */
export interface ConversationFile extends DataFile<RecordedDialogue> {
  notes: string[];
}

/**
 * Reads the conversations of a file. Items without messages, such as those of AgentGym's inference files, are skipped.
 *
 * @throws {DataFileError}
 */
export async function readConversations(
  path: string,
  { format = null, split = null, preferences = false }: ConversationOptions = {},
): Promise<ConversationFile> {
  const keys = new UnreadKeys();
  const expected = FORMATS.find(({ name }) => name === format)?.expected ?? EXPECTED_CONVERSATION;
  const read = (item: unknown, place: string) => {
    const dialogues = dialoguesOf(item, format, keys, place);
    return preferences ? dialogues : imitable(dialogues);
  };
  const file = await readDataFile(path, read, expected, { split, isWhole: isTrace });
  keys.throwRefused(path, expected);
  const all = file.items.flatMap(({ place, value }) => value.map((each) => ({ place, value: each })));
  const items = wholeDialogues(all.filter(({ value }) => value.messages.length > 0));
  if (items.length === 0) throw new DataFileError(`${path}: contains no conversation`, expected);
  const conversations = items.map(({ value }) => value);
  return { path, expected, items, notes: conversationNotes(conversations, keys, preferences) };
}

/** Returns the dialogues. @throws {BadItem} for a preference pair, since imitation would learn both of its answers */
export function imitable(dialogues: RecordedDialogue[]): RecordedDialogue[] {
  if (dialogues.every(({ pair }) => pair === undefined)) return dialogues;
  throw new BadItem(
    "has a 'chosen' and a 'rejected' answer, and the rejected one would be imitated too; algorithm=offline_dpo learns from such pairs",
  );
}

/** Returns the dialogues of an item. @param format its name; null to detect it from the item's keys @throws {BadItem} */
export const dialoguesOf = (
  item: unknown,
  format: string | null,
  keys: UnreadKeys,
  place: string,
): RecordedDialogue[] => formatOf(item, format).read((item ?? {}) as Record<string, unknown>, { keys, place });

/**
 * Writes notes for the user: how many replies are not trained on, or are weighted, and which keys are ignored.
 *
 * @param choosesByReward whether the training uses the conversations' rewards; if not, a note says that they have no effect
 */
export function conversationNotes(
  conversations: readonly RecordedDialogue[],
  keys: UnreadKeys,
  choosesByReward = false,
): string[] {
  const rewarded = choosesByReward ? 0 : conversations.filter(({ score }) => score !== undefined).length;
  const replies = conversations.flatMap(({ messages }) => messages.filter(({ role }) => role === 'assistant'));
  const unlearned = replies.filter((message) => lossWeight(message) === 0).length;
  const weighted = replies.filter((message) => ![0, 1].includes(lossWeight(message))).length;
  const cut = replies.filter((message) => message.cut).length;
  return [
    ...(cut > 0
      ? [
          `${cut} of ${replies.length} replies were cut off (by a limit of tokens, a stop text, or a failure): their end is not learned`,
        ]
      : []),
    ...(unlearned > 0 ? [`${unlearned} of ${replies.length} replies are not learned (weight 0)`] : []),
    ...(weighted > 0 ? [`${weighted} of ${replies.length} replies have a weight of their own in the loss`] : []),
    ...(rewarded > 0
      ? [
          `${rewarded} of ${conversations.length} conversations have a reward, and it has no part in the loss; algorithm=filteredbc chooses by it`,
        ]
      : []),
    ...unreadNote(keys),
  ];
}

export const unreadNote = ({ leftOut }: UnreadKeys): string[] =>
  leftOut.length > 0 ? [`left unread: ${leftOut.join(', ')}`] : [];
