import type { LanguageModel } from '@bowyer/models';
import { ModelServer, SteppedTokenizer } from '@bowyer/serving';

/** Serves completions of a model on any free port. */
export const servePolicy = (model: LanguageModel): Promise<ModelServer> =>
  ModelServer.listen({
    model,
    tokenizer: new SteppedTokenizer(model.tokenizer),
    name: 'policy',
    template: null,
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 0,
    slots: 4,
    maxQueued: 32,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
  });
