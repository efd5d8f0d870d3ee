// task=score: how likely given continuations are after given prompts, under a language model as it stands.
import { scoreContinuations, type ContinuationItem, type LanguageModel } from '@bowyer/models';
import type { RunConfig } from '../run-config.js';
import { linesOf, runModelLines } from './model-lines.js';
import type { TaskContext } from './task.js';

export async function score(config: RunConfig, context: TaskContext): Promise<void> {
  const results = async function* (model: LanguageModel, items: ContinuationItem[]) {
    const scores = scoreContinuations(model, items, { maxTokens: config.batchTokens });
    for await (const { promptIds, continuationIds, logprobs, logitsHead } of scores)
      yield { prompt_ids: promptIds, continuation_ids: continuationIds, logprobs, logits_head: logitsHead };
  };
  await runModelLines(config, context, { schema: linesOf('prompt', 'continuation'), results });
}
