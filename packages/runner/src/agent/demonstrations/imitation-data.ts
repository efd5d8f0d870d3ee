// Loads and tokenizes the data that a policy imitates: episodes, or conversations from a file. Episodes are converted to
// conversations if the policy has a chat template.
import {
  demonstrationSegments,
  demonstrationTrajectory,
  learnedTokens,
  messageOf,
  type ConversationOutcome,
  type Dataset,
} from '@bowyer/algorithms';
import { maximum, spokenIds, type Demonstration, type Trajectory } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { cutRight, type ChatMessage, type EncodedConversation } from '@bowyer/text';
import { maskedTokenIds, terminatorIds } from '../chat/agent-tokens.js';
import { loadChatTemplate, type TemplateConfig } from '../chat/chat-setup.js';
import { asServed } from '../chat/served-dialogues.js';
import type { NodePart } from '../keys/agent-keys.js';
import { contextOf, demonstrationsIn, type ContextConfig } from '../context/agent-context.js';
import type { AgentMemory, MemoryConfig } from '../memory/agent-memory.js';
import type { EnvironmentConfig } from '../environment/environment.js';
import type { Reporting } from '../../context/task-context.js';
import { openingOf, readConversations, type DataFile, type RecordedDialogue } from '@bowyer/conversations';
import { checkWrittenWhole } from './written-whole.js';
import { learnsFromConversations, makeDemonstrations, type DemonstrationConfig } from './demonstrations.js';

/** Data before it is tokenized. A policy that is trained from scratch gets its vocabulary from it. */
export type ImitationData =
  | { kind: 'episodes'; demonstrations: readonly Demonstration[] }
  | { kind: 'conversations'; conversations: readonly RecordedDialogue[]; file: DataFile<RecordedDialogue> | null };

export type ImitationDataConfig = DemonstrationConfig & ContextConfig & MemoryConfig & NodePart<'play', 'asChat'>;

/**
 * Loads the data that a policy imitates.
 *
 * @param memory gets the successful demonstrations if the config says so; each demonstration is then written with the examples
 *   that are found for it in the memory; null: no memory
 * @param preferences whether a file may have pairs of a preferred and a rejected answer
 */
export async function loadImitationData(
  config: ImitationDataConfig,
  memory: AgentMemory | null,
  log: Reporting['log'],
  preferences = false,
): Promise<ImitationData> {
  if (learnsFromConversations(config)) {
    const { notes, ...file } = await readConversations(config.demonstrations.path!, {
      ...config.demonstrations,
      preferences,
    });
    for (const note of notes) log(`${file.path}: ${note}`);
    return { kind: 'conversations', conversations: file.items.map(({ value }) => value), file };
  }
  const { path, count } = config.demonstrations;
  if (path === null) log(`making ${count} demonstrations of ${config.env.name}`);
  const set = await makeDemonstrations(config);
  if (config.memory?.demonstrations && memory?.memory.size === 0) log(memory.addDemonstrations(config, set));
  const demonstrations = await demonstrationsIn(config, set, memory?.memory ?? null);
  if (!config.play.asChat) return { kind: 'episodes', demonstrations };
  const isDialogue = contextOf(config).kind === 'dialogue';
  const conversations = demonstrations
    .flatMap((demonstration) => asConversations(demonstration, isDialogue))
    .map((messages) => ({ messages }));
  return { kind: 'conversations', conversations, file: null };
}

/**
 * Converts an episode to messages, as it is played through a chat template: observations are the user's messages and actions are
 * the assistant's. The last message is the last action.
 *
 * @param isDialogue true: one conversation with a message per turn; false: a conversation per turn, with one message of the user
 */
export function asConversations({ opening, turns }: Demonstration, isDialogue: boolean): ChatMessage[][] {
  const conversations: ChatMessage[][] = [];
  let before = { observation: '', action: '' };
  let observation = opening;
  turns.forEach(({ action, reply, nextObservation, slip }, turn) => {
    const begins = turn === 0 || !isDialogue;
    const content = (begins ? observation : messageOf(observation, before)).trim();
    if (begins) conversations.push([]);
    conversations
      .at(-1)!
      .push({ role: 'user', content }, { role: 'assistant', content: action, ...(slip && { loss: false }) });
    before = { observation, action: action.trim() };
    observation = nextObservation ?? observation + action + reply;
  });
  return conversations;
}

export type DatasetConfig = EnvironmentConfig &
  TemplateConfig &
  NodePart<'sampling', 'eosStr' | 'maxNewTokens'> & {
    /** The longest example in tokens; null or absent: the policy's context length. */
    task: { maxInputLength?: number | null };
  };

/**
 * Tokenizes the data that a policy imitates. With `maxInputLength`, longer conversations lose their end, as in AgentGym, and
 * episodes lose the turns that do not fit. Without it, the later turns of a long episode are learned with the end of their
 * context, as the player reads them. All shortened data is logged.
 */
export async function datasetFor(
  policy: LanguageModel,
  data: ImitationData,
  config: DatasetConfig,
  log: Reporting['log'],
): Promise<Dataset> {
  if (data.kind === 'conversations') {
    const template = await loadChatTemplate(config, policy.tokenizer);
    const served = await asServed(data.conversations, template, policy.tokenizer);
    const { file } = data;
    if (file)
      checkWrittenWhole(template, { ...file, items: file.items.map(({ place }, i) => ({ place, value: served[i] })) });
    const encoded = data.conversations.flatMap((dialogue, conversation) => {
      const outcome = outcomeOf(dialogue, conversation);
      const { messages, inputs } = served[conversation];
      return template.encodeConversation(messages, inputs).map((tokens) => ({ tokens, outcome }));
    });
    return { kind: 'conversations', ...fitting(encoded, longestOf(policy, config), log) };
  }
  const [terminatorId] = terminatorIds(policy.tokenizer, config);
  const { tokenizer, contextLength } = policy;
  // In training a context has as many tokens as in play, where `maxNewTokens` of the policy's context are kept for the answer.
  const room = config.task.maxInputLength ? Infinity : contextLength - config.sampling.maxNewTokens + 1;
  const episodes = data.demonstrations.map((demonstration, episode) =>
    demonstrationTrajectory(demonstration, { tokenizer, terminatorId, episode, room }),
  );
  const kept = writable(episodes, maskedTokenIds(tokenizer, config), log);
  if (config.task.maxInputLength) {
    const fit = withoutLongTurns(kept, longestOf(policy, config), log);
    log(`imitating ${fit.length} dialogues`);
    return { kind: 'episodes', episodes: fit };
  }
  refuseLongActions(kept, contextLength);
  const added = data.demonstrations.map((demonstration, i) => episodes[i].segments.length - contextsOf(demonstration));
  const cut = data.demonstrations.filter((_, i) => added[i] > 0);
  if (cut.length > 0) {
    const whole = cut.flatMap((demonstration) => demonstrationSegments(demonstration, tokenizer, terminatorId));
    const longest = maximum(whole.map(({ ids }) => ids.length));
    const contexts = added.reduce((sum, count) => sum + count, 0);
    log(
      `${cut.length} of ${episodes.length} dialogues are longer than the policy's context of ${contextLength} tokens: their later ` +
        `turns are learned with the end of the dialogue alone, as they are played, in ${contexts} more contexts; ` +
        `policy.n_positions=${longest + config.sampling.maxNewTokens} has room for all, and context=window is shorter` +
        // A warm start has no key `max_input_length`, so that its value is undefined and not null.
        (config.task.maxInputLength === null ? `; task.max_input_length=${contextLength} leaves these turns out` : ''),
      'WARNING',
    );
  }
  log(`imitating ${kept.length} dialogues`);
  return { kind: 'episodes', episodes: kept };
}

/** Returns the task that a dialogue answers, and its score; null where the data has neither. */
function outcomeOf(dialogue: RecordedDialogue, conversation: number): ConversationOutcome | null {
  const { score, pair } = dialogue;
  return score === undefined ? null : { conversation, task: pair ?? JSON.stringify(openingOf(dialogue)), score };
}

/** Returns the largest number of tokens that one training example may have. */
const longestOf = ({ contextLength }: LanguageModel, { task: { maxInputLength } }: DatasetConfig): number =>
  Math.min(contextLength, maxInputLength ?? contextLength);

/**
 * Removes the tokens of turns that do not fit into the longest example; rewards and texts are kept. Episodes whose first turn
 * does not fit are left out.
 */
function withoutLongTurns(
  episodes: readonly Trajectory[],
  longest: number,
  log: Reporting['log'],
): readonly Trajectory[] {
  const lengths = episodes.map(({ segments }) => maximum(segments.map(({ ids }) => ids.length)));
  const cut = lengths.filter((length) => length > longest).length;
  if (cut === 0) return episodes;
  const fit = episodes.map((episode): Trajectory => {
    const segments = episode.segments.map(({ ids, utterances }) => {
      // The token that ends an utterance is predicted from the utterance's last token, so that it is a target but not an input
      // and needs no position.
      const kept = utterances.filter((utterance) => utterance.start + spokenIds(utterance).length <= longest);
      return { ids: ids.slice(0, longest), utterances: kept };
    });
    return { ...episode, segments };
  });
  const kept = fit.filter(({ segments }) => segments.some(({ utterances }) => utterances.length > 0));
  const lost = episodes.length - kept.length;
  log(
    `${cut} of ${episodes.length} dialogues (${percent(cut / episodes.length)}) are longer than ${longest} tokens (task.max_input_length): ` +
      `their last turns are not learned; the longest needs task.max_input_length=${maximum(lengths)}`,
    'WARNING',
  );
  if (lost > 0) log(`${lost} of them have no turn that fits and are left out`, 'WARNING');
  if (kept.length === 0)
    throw new Error(
      `task.max_input_length=${longest}: no demonstration has a turn that fits\n  give a larger task.max_input_length`,
    );
  return kept;
}

/** Counts the contexts of a demonstration: the texts after which an action follows, and the final one, however long they are. */
const contextsOf = ({ turns }: Demonstration): number =>
  1 + turns.slice(0, -1).filter(({ nextObservation }) => nextObservation !== undefined).length;

function refuseLongActions(episodes: readonly Trajectory[], contextLength: number): void {
  const longest = maximum([0, ...episodes.flatMap(({ segments }) => segments.map(({ ids }) => ids.length))]);
  if (longest <= contextLength) return;
  throw new Error(
    `an action of the demonstrations is longer than sampling.max_new_tokens: with the observation before it, it has ${longest} tokens, but the policy's context is ${contextLength}\n` +
      '  give the policy a longer context (policy.n_positions for the built-in one), or a larger sampling.max_new_tokens',
  );
}

/** Leaves out episodes whose actions contain words that the policy does not know, or tokens that are masked when it samples. */
function writable(
  episodes: readonly Trajectory[],
  masked: readonly number[],
  log: Reporting['log'],
): readonly Trajectory[] {
  const kept = episodes.filter(({ segments }) =>
    segments.every(({ utterances }) =>
      utterances.every((utterance) => !spokenIds(utterance).some((id) => masked.includes(id))),
    ),
  );
  const lost = episodes.length - kept.length;
  if (kept.length === 0 && lost > 0)
    throw new Error(
      'every demonstration contains a word that the policy cannot write\n' +
        '  give demonstrations of the environment that the policy was made for, or leave out policy.model and policy.checkpoint',
    );
  if (lost > 0)
    log(
      `${lost} of ${episodes.length} dialogues contain words that the policy cannot write and are left out`,
      'WARNING',
    );
  return kept;
}

/** Cuts the end of long conversations, as AgentGym does; those without tokens to learn are then left out. Both are logged. */
function fitting(
  encoded: readonly { tokens: EncodedConversation; outcome: ConversationOutcome | null }[],
  longest: number,
  log: Reporting['log'],
): { conversations: EncodedConversation[]; outcomes: (ConversationOutcome | null)[] } {
  const fit = fitted(
    encoded.map(({ tokens }) => tokens),
    longest,
    'conversations',
    log,
  );
  const conversations = fit.filter((conversation) => conversation !== null);
  if (conversations.length === 0)
    throw new Error('none of the conversations has a message of the assistant to learn from');
  log(`imitating ${conversations.length} conversations of ${tokenCounts(conversations)}`);
  return { conversations, outcomes: encoded.flatMap(({ outcome }, i) => (fit[i] === null ? [] : [outcome])) };
}

/**
 * Like `fitting`, with null in place of each conversation that is left out.
 *
 * @param noun the name of an item in messages
 * @throws where all conversations are too long, so that none would keep its end
 */
export function fitted(
  encoded: readonly EncodedConversation[],
  longest: number,
  noun: string,
  log: Reporting['log'],
): (EncodedConversation | null)[] {
  const lengths = encoded.map(({ ids }) => ids.length);
  const cut = lengths.filter((length) => length > longest).length;
  const needed = `the longest needs a context of ${maximum([0, ...lengths])}`;
  if (cut === encoded.length && cut > 0)
    throw new Error(
      `all ${cut} ${noun} are longer than ${longest} tokens: none would keep its end, and ${needed}\n` +
        '  give shorter ones, a model with a longer context, or a larger task.max_input_length where it is set',
    );
  const fit = encoded.map((conversation) => {
    const short = cutRight(conversation, longest);
    return short !== null && learnedTokens(short) > 0 ? short : null;
  });
  const lost = fit.filter((conversation) => conversation === null).length;
  const share = `${cut} of ${encoded.length} ${noun} (${percent(cut / encoded.length)})`;
  if (cut > 0) log(`${share} are longer than ${longest} tokens and lost their end; ${needed}`, 'WARNING');
  if (lost > 0) log(`${lost} ${noun} have nothing to learn from and are left out`, 'WARNING');
  return fit;
}

const percent = (share: number): string => `${share < 0.01 ? '< 1' : Math.round(100 * share)} %`;

/** Returns a text with the number of tokens and of those that are learned. */
export function tokenCounts(conversations: readonly EncodedConversation[]): string {
  const tokens = conversations.reduce((sum, { ids }) => sum + ids.length, 0);
  const learned = conversations.reduce((sum, conversation) => sum + learnedTokens(conversation), 0);
  return `${tokens} tokens, ${learned} of which are learned`;
}
