// The judge of groups behind an endpoint.
import { OpenAiChat } from '@bowyer/envs';
import { judgedDialogue, judgeGroup, usualRubric, type RankGroup } from '@bowyer/rollouts';
import type { RankingConfig } from './ranking-keys.js';

export interface Ranking {
  rank: RankGroup;
  close(): Promise<void>;
}

/** @returns null where the config names none @throws where the key's variable is not set */
export function openRanking({ ranking }: RankingConfig): Ranking | null {
  const { baseUrl, model, apiKeyEnv, rubric, weight, maxTokens, retries, timeoutMs } = ranking;
  if (baseUrl === null) return null;
  const apiKey = apiKeyEnv === null ? null : process.env[apiKeyEnv];
  if (apiKey === undefined)
    throw new Error(
      `ranking: the environment variable ${apiKeyEnv} is not set; it should contain the key of ${baseUrl}\n` +
        '  set it, or write ranking.api_key_env=null for a server that wants none',
    );
  const http = { retries, answerTimeoutMs: timeoutMs };
  const chat = new OpenAiChat({ baseUrl, model, apiKey, concurrency: 1, http });
  const options = { rubric: rubric ?? usualRubric, retries, maxTokens };
  return {
    rank: async (group) => {
      const dialogues = group.map(({ recorded }) => judgedDialogue(recorded));
      return (await judgeGroup(chat, dialogues, options)).map(({ score }) => weight * score);
    },
    close: () => chat.close(),
  };
}
