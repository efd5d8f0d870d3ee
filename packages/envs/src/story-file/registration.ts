import { resetSchemaWith, type Registration } from '../registration.js';
import { StoryFile, storyFileSchema, type StoryFileOptions } from './story-file.js';

export const storyFileRegistration: Registration<StoryFileOptions> = {
  description: 'A text adventure played from a Z-machine story file; by default a small game of our own.',
  schema: storyFileSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => new StoryFile(options),
  sampleActions: ['n', 'w', 'take all', 'e', 'look', 'swim', '', 'open drawer'],
};
