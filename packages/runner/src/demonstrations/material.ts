// What a policy learns from, as texts and then as its tokens: episodes, or conversations of a file or through a template.
import { learnedTokens, demonstrationTrajectory, type Dataset } from '@bowyer/algorithms';
import { maximum, type Demonstration, type Trajectory } from '@bowyer/core';
import { cutRight, type ChatMessage, type EncodedConversation, type LanguageModel } from '@bowyer/models';
import { maskedTokenIds, terminatorIds } from '../agent/agent-tokens.js';
import { loadChatTemplate, type TemplateConfig } from '../agent/chat-setup.js';
import type { SharedConfig } from '../config/keys.js';
import type { EnvironmentConfig } from '../environment/environment.js';
import type { TaskContext } from '../tasks/task.js';
import { readConversations } from './conversations.js';
import { learnsFromConversations, makeDemonstrations, type DemonstrationConfig } from './demonstrations.js';

/** Before any tokenizer: a policy from scratch has its words from here. */
export type Material =
  | { kind: 'episodes'; demonstrations: readonly Demonstration[] }
  | { kind: 'conversations'; conversations: readonly (readonly ChatMessage[])[]; fromFile: boolean };

export type MaterialConfig = DemonstrationConfig & Pick<SharedConfig, 'playAsChat'>;

export async function loadMaterial(config: MaterialConfig): Promise<Material> {
  if (learnsFromConversations(config))
    return {
      kind: 'conversations',
      conversations: await readConversations(config.demonstrations.path!),
      fromFile: true,
    };
  const { demonstrations } = await makeDemonstrations(config);
  if (!config.playAsChat) return { kind: 'episodes', demonstrations };
  return { kind: 'conversations', conversations: demonstrations.map(asConversation), fromFile: false };
}

/** An episode as it is played through a template: observations are the user's messages, up to the last action. */
export function asConversation({ opening, turns }: Demonstration): ChatMessage[] {
  return turns.flatMap(({ action }, turn) => [
    { role: 'user', content: (turn === 0 ? opening : turns[turn - 1].reply).trim() },
    { role: 'assistant', content: action },
  ]);
}

type DatasetConfig = EnvironmentConfig &
  TemplateConfig &
  Pick<SharedConfig, 'eosStr'> & {
    /** Tokens; null or absent: the policy's context. */
    maxInputLength?: number | null;
  };

/**
 * The material as one policy's tokens. Conversations that are longer than `maxInputLength` lose their end, as in AgentGym; episodes
 * lose the turns that do not fit. Both are logged. @throws where an episode is too long and no `maxInputLength` is given
 */
export async function datasetFor(
  policy: LanguageModel,
  material: Material,
  config: DatasetConfig,
  log: TaskContext['log'],
): Promise<Dataset> {
  if (material.kind === 'conversations') {
    const template = await loadChatTemplate(config, policy.tokenizer);
    const encoded = material.conversations.map((messages) => template.encodeConversation(messages));
    return { kind: 'conversations', conversations: fitting(encoded, longestOf(policy, config), log) };
  }
  const [terminatorId] = terminatorIds(policy.tokenizer, config);
  let episode = 0;
  const episodes = material.demonstrations.map((demonstration): Trajectory => {
    const trajectory = demonstrationTrajectory(demonstration, { tokenizer: policy.tokenizer, terminatorId, episode });
    // An episode whose observations start over is several demonstrations; all but the last have no end.
    const last = demonstration.turns.at(-1);
    if (last === undefined || last.terminated !== false || last.truncated === true) episode++;
    return trajectory;
  });
  const kept = writable(episodes, maskedTokenIds(policy.tokenizer, config), log);
  const fit = config.maxInputLength ? withoutLongTurns(kept, longestOf(policy, config), log) : kept;
  const longest = maximum([0, ...fit.map(({ segments: [{ ids }] }) => ids.length)]);
  if (longest > policy.contextLength)
    throw new Error(
      `the longest demonstration has ${longest} tokens, but the policy's context is ${policy.contextLength}\n` +
        '  give the policy a longer context (policy.n_positions for the built-in one), shorter demonstrations, or with ' +
        `max_input_length=${policy.contextLength} leave out the turns that do not fit`,
    );
  log(`imitating ${fit.length} dialogues`);
  return { kind: 'episodes', episodes: fit };
}

/** Tokens that one example may have. */
const longestOf = ({ contextLength }: LanguageModel, { maxInputLength }: DatasetConfig): number =>
  Math.min(contextLength, maxInputLength ?? contextLength);

/** Rewards and texts stay whole; of the tokens, those of the first turns that fit. Episodes without such a turn are left out. */
function withoutLongTurns(
  episodes: readonly Trajectory[],
  longest: number,
  log: TaskContext['log'],
): readonly Trajectory[] {
  const cut = episodes.filter(({ segments: [{ ids }] }) => ids.length > longest).length;
  if (cut === 0) return episodes;
  const fit = episodes.map((episode): Trajectory => {
    const segments = episode.segments.map(({ ids, utterances }) => {
      // What ends an utterance is predicted from its last token, so it needs no place of its own.
      const kept = utterances.filter((utterance) => utterance.start + utterance.ids.length <= longest);
      return { ids: ids.slice(0, longest), utterances: kept };
    });
    return { ...episode, segments };
  });
  const kept = fit.filter(({ segments }) => segments.some(({ utterances }) => utterances.length > 0));
  const lost = episodes.length - kept.length;
  log(
    `${cut} dialogues are longer than ${longest} tokens (max_input_length): their last turns are not learned`,
    'WARNING',
  );
  if (lost > 0) log(`${lost} of them have no turn that fits and are left out`, 'WARNING');
  if (kept.length === 0)
    throw new Error(
      `max_input_length=${longest}: no demonstration has a turn that fits\n  give a larger max_input_length`,
    );
  return kept;
}

/** Without episodes whose actions contain words that the policy does not know, or that only the environment writes. */
function writable(
  episodes: readonly Trajectory[],
  masked: readonly number[],
  log: TaskContext['log'],
): readonly Trajectory[] {
  const kept = episodes.filter(({ segments: [{ utterances }] }) =>
    utterances.every(({ ids }) => !ids.some((id) => masked.includes(id))),
  );
  const lost = episodes.length - kept.length;
  if (kept.length === 0 && lost > 0)
    throw new Error(
      'every demonstration contains a word that the policy cannot write\n' +
        '  give demonstrations of the environment that the policy was made for, or leave out policy_lm and checkpoint_path',
    );
  if (lost > 0)
    log(
      `${lost} of ${episodes.length} dialogues contain words that the policy cannot write and are left out`,
      'WARNING',
    );
  return kept;
}

/** Long ones lose their end, as in AgentGym; those with nothing to learn from then are left out. Both are logged. */
function fitting(
  encoded: readonly EncodedConversation[],
  longest: number,
  log: TaskContext['log'],
): EncodedConversation[] {
  const kept = fitted(encoded, longest, 'conversations', log).filter((conversation) => conversation !== null);
  if (kept.length === 0) throw new Error('none of the conversations has a message of the assistant to learn from');
  log(`imitating ${kept.length} conversations of ${tokenCounts(kept)}`);
  return kept;
}

/** As `fitting`, with null in the place of each one that is left out. @param noun what they are */
export function fitted(
  encoded: readonly EncodedConversation[],
  longest: number,
  noun: string,
  log: TaskContext['log'],
): (EncodedConversation | null)[] {
  const cut = encoded.filter(({ ids }) => ids.length > longest).length;
  const fit = encoded.map((conversation) => {
    const short = cutRight(conversation, longest);
    return short !== null && learnedTokens(short) > 0 ? short : null;
  });
  const lost = fit.filter((conversation) => conversation === null).length;
  if (cut > 0) log(`${cut} ${noun} are longer than ${longest} tokens and lost their end`, 'WARNING');
  if (lost > 0) log(`${lost} ${noun} have nothing to learn from and are left out`, 'WARNING');
  return fit;
}

/** How many tokens there are, in words. */
export function tokenCounts(conversations: readonly EncodedConversation[]): string {
  const tokens = conversations.reduce((sum, { ids }) => sum + ids.length, 0);
  const learned = conversations.reduce((sum, conversation) => sum + learnedTokens(conversation), 0);
  return `${tokens} tokens, ${learned} of which are learned`;
}
