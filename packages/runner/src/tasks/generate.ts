// task=generate: texts that go on from prompts, greedy or sampled.
import { endOfText, generateTexts, type LanguageModel, type PromptItem } from '@bowyer/models';
import { agentTokens } from '../agent-tokens.js';
import type { RunConfig } from '../run-config.js';
import { linesOf, runModelLines } from './model-lines.js';
import type { TaskContext } from './task.js';

export async function generate(config: RunConfig, context: TaskContext): Promise<void> {
  const { seed, batchSize, temperature, topK, topP, doSample, maxNewTokens } = config;
  const results = async function* (model: LanguageModel, items: PromptItem[]) {
    const terminatorIds = [...new Set([...agentTokens(model.tokenizer, config).terminatorIds, ...endOfText(model)])];
    const sampling = { temperature, topK, topP, greedy: !doSample, maxNewTokens, terminatorIds };
    for await (const { text, ids, logprobs, finishReason } of generateTexts(model, items, {
      ...sampling,
      batchSize,
      seed,
    }))
      yield { text, ids, logprobs, finish_reason: finishReason };
  };
  await runModelLines(config, context, { schema: linesOf('prompt'), results });
}
