// Story files: ArCHer's env_load_path is the story; its observation is more than what the story says.
import type { StoryFileInfo } from '@bowyer/envs';
import type { EnvironmentKnowledge } from './knowledge.js';

export const storyFile: EnvironmentKnowledge = {
  archerKeys: ['envLoadPath'],
  archerOptions: ({ env, envLoadPath }) => ({ story: env.story ?? envLoadPath }),
  // Recordings know no step limit but their own length.
  replayOptions: { stepLimit: Number.MAX_SAFE_INTEGER },
  engineText: ({ info }) => (info as StoryFileInfo).text,
};
