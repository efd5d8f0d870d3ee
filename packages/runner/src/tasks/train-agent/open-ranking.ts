// Opens the judge that compares the rollouts of a group with each other and ranks them: a model at an endpoint (config node
// `ranking`).
import { judgedDialogue, judgeGroup, usualRubric, type RankGroup } from '@bowyer/rollouts';
import { openChat } from '../../agent/play/open-chat.js';
import type { RankingConfig } from './ranking-keys.js';

export interface Ranking {
  rank: RankGroup;
  close(): Promise<void>;
}

/**
 * @returns null where the config names no judge
 * @throws where the environment variable with its API key is not set
 */
export function openRanking({ ranking }: RankingConfig): Ranking | null {
  const { baseUrl, rubric, weight, maxTokens, retries } = ranking;
  if (baseUrl === null) return null;
  const chat = openChat('ranking', { ...ranking, baseUrl });
  const options = { rubric: rubric ?? usualRubric, retries, maxTokens };
  return {
    rank: async (group) => {
      const dialogues = group.map(({ recorded }) => judgedDialogue(recorded));
      return (await judgeGroup(chat, dialogues, options)).map(({ score }) => weight * score);
    },
    close: () => chat.close(),
  };
}
