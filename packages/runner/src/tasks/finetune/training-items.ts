// Reads a user's data file as texts: conversations, or prompts with their completions. It needs no model or tokenizer.
import {
  asRecord,
  BadItem,
  conversationNotes,
  DataFileError,
  dialoguesOf,
  EXPECTED_CONVERSATION,
  found,
  imitable,
  isEmpty,
  isPrompted,
  isTrace,
  readDataFile,
  UnreadKeys,
  unreadNote,
  wholeDialogues,
  type ConversationOptions,
  type DataFile,
  type DataItem,
  type RecordedDialogue,
} from '@bowyer/conversations';

type DialogueItem = { kind: 'conversation' } & RecordedDialogue;

export type TrainingItem = DialogueItem | { kind: 'completion'; prompt: string; completion: string };

const EXPECTED = `${EXPECTED_CONVERSATION} or {"prompt": "…", "completion": "…"}, the same kind in the whole file`;

const NAMES = { conversation: 'a conversation', completion: 'a prompt with a completion' } as const;

export interface TrainingFile extends DataFile<TrainingItem> {
  /** Notes about the file that are logged before the training starts. */
  notes: string[];
}

/**
 * All items must be conversations, or all prompts with completions; empty conversations are left out.
 *
 * @throws {DataFileError} with all problems of the file
 */
export async function readTrainingItems(
  path: string,
  { format = null, split = null }: ConversationOptions = {},
): Promise<TrainingFile> {
  const keys = new UnreadKeys();
  let first: { kind: TrainingItem['kind']; place: string } | undefined;
  const file = await readDataFile(
    path,
    (value, place) => {
      const ofItem = itemsOf(value, format, keys, place);
      const kind = ofItem[0]?.kind ?? 'conversation';
      first ??= { kind, place };
      if (kind !== first.kind)
        throw new BadItem(`is ${NAMES[kind]}, but ${first.place} is ${NAMES[first.kind]}; a file contains one kind`);
      return ofItem;
    },
    EXPECTED,
    { split, isWhole: isTrace },
  );
  keys.throwRefused(path, EXPECTED);
  const items = wholeItems(file.items.flatMap(({ place, value }) => value.map((each) => ({ place, value: each }))));
  if (items.length === 0) throw new DataFileError(`${path}: contains no item`, EXPECTED);
  const conversations = items.flatMap(({ value }) => (value.kind === 'conversation' ? [value] : []));
  const notes = conversations.length > 0 ? conversationNotes(conversations, keys) : unreadNote(keys);
  return { ...file, items, notes };
}

/** Leaves out dialogues that another one of the same trace continues, and those without messages. */
function wholeItems(items: readonly DataItem<TrainingItem>[]): DataItem<TrainingItem>[] {
  const [dialogues, completions]: [DataItem<DialogueItem>[], DataItem<TrainingItem>[]] = [[], []];
  for (const { place, value } of items)
    if (value.kind === 'completion') completions.push({ place, value });
    else if (value.messages.length > 0) dialogues.push({ place, value });
  return [...wholeDialogues(dialogues), ...completions];
}

function itemsOf(value: unknown, format: string | null, keys: UnreadKeys, place: string): TrainingItem[] {
  const record = asRecord(value);
  const { conversations, messages, prompt, completion } = record ?? {};
  const isConversation =
    format !== null ||
    isTrace(value) ||
    conversations !== undefined ||
    messages !== undefined ||
    (record !== null && isPrompted(record));
  const both = ['prompt', 'completion'].find((key) => !isEmpty(record?.[key]));
  if ((conversations ?? messages) !== undefined && both !== undefined)
    throw new BadItem(`has both messages and a ${both}; leave out the one that is not to be trained on`);
  if (isConversation)
    return imitable(dialoguesOf(value, format, keys, place)).map((dialogue) => ({ kind: 'conversation', ...dialogue }));
  if (prompt === undefined && completion === undefined) throw new BadItem(`is ${found(value)}`);
  keys.check('an item', place, record!, ['prompt', 'completion']);
  return [{ kind: 'completion', prompt: text('prompt', prompt), completion: text('completion', completion) }];
}

function text(key: string, value: unknown): string {
  if (typeof value !== 'string') throw new BadItem(`'${key}' is ${found(value)}, not a text`);
  return value;
}

/** Null if the item begins with the text that is learned. */
export function promptOf(item: TrainingItem): object | null {
  if (item.kind === 'completion') return { prompt: item.prompt };
  const reply = item.messages.findLastIndex(({ role, loss }) => role === 'assistant' && loss !== false);
  if (reply <= 0) return null;
  const { tools, documents, variables } = item.inputs ?? {};
  const messages = item.messages.slice(0, reply).map(({ loss: _, cut: __, ...message }) => message);
  return { messages, tools, documents, chat_template_kwargs: variables };
}
