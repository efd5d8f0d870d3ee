export {
  conversationNotes,
  dialoguesOf,
  imitable,
  isConversationFile,
  readConversations,
  unreadNote,
  type ConversationFile,
  type ConversationOptions,
} from './conversation-file.js';
export type { RecordedDialogue } from './formats/format.js';
export { openingOf, type Opening } from './opening.js';
export { FORMAT_NAMES, isTrace } from './formats/detect.js';
export { wholeDialogues } from './formats/whole-dialogues.js';
export { checkedSpans, type CheckedSpans } from './formats/otlp.js';
export { chatMessagesOf, conversationOf, EXPECTED_CONVERSATION, templateInputsOf, withSystem } from './formats/chat.js';
export { isPrompted } from './formats/prompted-messages.js';
export { LOSS_KEYS, lossOf } from './formats/loss-keys.js';

// Exports for users' data files with items of any kind.
export { asRecord, BadItem, DataFileError, found } from './files/data-error.js';
export {
  mapItems,
  pipeProblem,
  readDataFile,
  type DataFile,
  type DataFileOptions,
  type DataItem,
} from './files/data-file.js';
export { dataFilesOf, recordFolderOf } from './files/data-folder.js';
export { dataFormatKey, dataSplitKey } from './data-keys.js';
export { isEmpty, UnreadKeys } from './files/unread-keys.js';

// Exports of the readers of messages, which read them from requests and from files.
export { earlierArguments, type EarlierCall } from './forms/calls.js';
export type { Fields } from './forms/fields.js';
export { readChatMessages, readChatTools } from './forms/chat-form.js';
export { readAnthropicMessages, readAnthropicTools } from './forms/anthropic-form.js';
export { readResponseItems, readResponseTools, type ResponseTools } from './forms/response-form.js';
