import { sharedSplits } from '../splits.js';
import { playedOptions, playedSet, type ExpertNoise } from '../played-demonstrations.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { lighthouseDemonstrations, strayingSchema } from './demonstrations.js';
import { StoryFile, storyFileSchema, type StoryFileInfo, type StoryFileOptions } from './story-file.js';

export const storyFileUnit = defineEnvironment<StoryFileOptions, ExpertNoise>({
  name: 'adventure',
  description: 'A text adventure played from a Z-machine story file; by default a small game of our own.',
  rules: () =>
    'An action is one command of text adventures: a direction (n, east, up), a verb with things (take lamp, open door, ' +
    'put coin in box), look, or inventory. The score of the game is the reward.',
  schema: storyFileSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => new StoryFile(options),
  splits: () => sharedSplits({ noun: 'story', count: 1, item: () => 'the story' }),
  // In ArCHer's format, every observation contains the description of the room and the inventory.
  context: ({ observation, validActions }) => {
    const [withRoom, listed] = [observation === 'archer', validActions ? (['validActions'] as const) : []];
    return withRoom
      ? { observation: 'turn', kind: 'last', parts: ['inventory', ...listed] }
      : { observation: 'turn', kind: 'dialogue', parts: listed };
  },
  sampleActions: ['n', 'w', 'take all', 'e', 'look', 'swim', '', 'open drawer'],
  // The return is the sum of points. Random valid actions earn 4 in the built-in game and 44 in Detective.
  critic: { typicalReturn: ({ story }) => (story === null ? 4 : 20) },
  config: { flatNames: { env_load_path: 'story' } },
  replay: {
    // The text is read from `info`, since an observation may also contain the game's answers to look and inventory.
    engineText: ({ info }) => (info as StoryFileInfo).text,
    // The recorded games were played without a step limit.
    options: { stepLimit: Number.MAX_SAFE_INTEGER },
  },
  demonstrations: {
    schema: strayingSchema,
    make: async (options, request) => playedSet(await lighthouseDemonstrations(options, playedOptions(request))),
    problem: ({ story }) => (story === null ? null : 'a story file has no demonstrations of its own'),
  },
});
