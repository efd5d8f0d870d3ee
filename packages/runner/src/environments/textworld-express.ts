// The TextWorldExpress games: the gold paths of seeded worlds as demonstrations.
import { textWorldExpressDemonstrations, type TextWorldExpressGame, type TextWorldExpressOptions } from '@bowyer/envs';
import type { RunConfig } from '../run-config.js';
import type { DemonstrationSet, EnvironmentKnowledge } from './knowledge.js';
import { playedEpisodes } from './played-episodes.js';

/** Seeds side by side give worlds whose first draws are alike; so far apart they do not. */
const SEED_STEP = 123_456;

export const textWorldExpress: EnvironmentKnowledge = {
  demonstrations,
  warmStartOptions: ({ backend: _, baseUrl: __, timeoutMs: ___, ...decisive }) => decisive,
};

async function demonstrations({ env, demonstrations: { count, path } }: RunConfig): Promise<DemonstrationSet> {
  const { name, ...options } = env as unknown as TextWorldExpressOptions & { name: TextWorldExpressGame };
  if (path !== null) {
    throw new Error(`demonstrations.path: '${path}' is no .jsonl file, the only kind that ${name} has`);
  }
  if (options.backend === 'java') {
    throw new Error(
      `${name} with backend=java has no demonstrations: the gold paths here are told in our own words\n` +
        '  give a file of its own with demonstrations.path=FILE.jsonl, or a policy with policy_lm=FOLDER',
    );
  }
  const { fold, params, stepLimit, contentDir, showValidActions } = options;
  const episodes = await textWorldExpressDemonstrations(name, {
    ...{ fold, params, stepLimit, contentDir, showValidActions },
    ...{ episodes: count, seedStep: SEED_STEP, onlyWon: true },
  });
  return playedEpisodes(episodes.map(({ transitions }) => transitions));
}
