// Makes demonstrations of the built-in game Lighthouse: its walkthrough, and from some turn on random valid actions.
import type { Transition } from '@bowyer/core';
import { fraction } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { lighthouseWalkthrough } from './lighthouse/walkthrough.js';
import { StoryFile, type StoryFileInfo, type StoryFileOptions } from './story-file.js';
import { options } from '../option.js';

export const strayingSchema = options({
  noise: fraction(0.05, 'Chance in each turn that the walkthrough is left; random valid actions follow to the end.'),
});

/** The actions from which random ones are drawn if the environment does not list valid actions. */
const MOVES = ['north', 'south', 'east', 'west', 'up', 'down', 'take all'];

export function lighthouseDemonstrations(
  options: StoryFileOptions,
  request: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  let turn = 0;
  let hasStrayed = false;
  const anyAction: Parameters<typeof playDemonstrations>[1]['random'] = (info, rng) => {
    hasStrayed = true;
    const { validActions } = info as StoryFileInfo;
    return rng.choice(validActions !== undefined && validActions.length > 0 ? validActions : MOVES);
  };
  return playDemonstrations(
    new StoryFile(options),
    {
      begin: () => void ([turn, hasStrayed] = [0, false]),
      best: (info, rng) =>
        hasStrayed || turn >= lighthouseWalkthrough.length ? anyAction(info, rng) : lighthouseWalkthrough[turn++],
      random: anyAction,
    },
    request,
  );
}
