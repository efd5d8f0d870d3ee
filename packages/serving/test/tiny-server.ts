// The settings of a server of a tiny model.

/** The options that most tests leave as they are; the server has any free port. */
export const usual = {
  name: 'tiny',
  template: null,
  host: '127.0.0.1',
  port: 0,
  apiKey: null,
  seed: 1,
  slots: 4,
  maxQueued: 64,
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 12 },
};
