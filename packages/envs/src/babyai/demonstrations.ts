import type { InformedTransition, Rng } from '@bowyer/core';
import { reactLine } from '../agentgym/reply-rules.js';
import { expertItems, seedSplits } from '../splits.js';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { CHECK } from './actions.js';
import { BabyAi, type BabyAiOptions } from './babyai.js';

/** Plays an expert that knows only seen cells: a policy cannot imitate one that knows the map. Failed episodes are left out. */
export async function babyAiDemonstrations(
  options: BabyAiOptions,
  asked: Omit<PlayedDemonstrationOptions, 'noise'>,
): Promise<InformedTransition[][]> {
  const env = new BabyAi(options);
  let planned: readonly string[] = [];
  const thinks = options.actionFormat === 'react';
  let thought = '';
  const played = await playDemonstrations(
    expertItems(env, seedSplits(), asked.split),
    {
      begin: () => {
        planned = env.explorerPath() ?? [];
      },
      best: () => {
        const step = env.expertStep();
        thought = step?.thought ?? thought;
        return step?.action ?? null;
      },
      random: ({ validActions }, rng: Rng) => {
        thought = env.expertStep()?.thought ?? thought;
        return rng.choice((validActions as string[]).filter((action) => action !== CHECK));
      },
      later: () => planned,
      reply: thinks ? (action) => reactLine(thought, action) : undefined,
    },
    { ...asked, noise: 0 },
  );
  return played.filter((episode) => episode.at(-1)?.terminated || episode.at(-1)?.truncated);
}
