// task=score: how likely given continuations are after given prompts, under a model as it stands. For an encoder-decoder
// the prompt is the source and the continuation the target.
import {
  scoreContinuations,
  scoreTargets,
  Seq2SeqModel,
  type ContinuationItem,
  type LanguageModel,
} from '@bowyer/models';
import { linesOf, runModelLines, type LinesConfig } from '../model-lines.js';
import type { TaskContext } from '../../context/task-context.js';

export async function score(config: LinesConfig & { batchTokens: number }, context: TaskContext): Promise<void> {
  const results = async function* (model: LanguageModel | Seq2SeqModel, items: ContinuationItem[]) {
    const options = { maxTokens: config.batchTokens };
    const scores =
      model instanceof Seq2SeqModel ? scoreTargets(model, items, options) : scoreContinuations(model, items, options);
    for await (const { promptIds, continuationIds, logprobs, logitsHead } of scores)
      yield { prompt_ids: promptIds, continuation_ids: continuationIds, logprobs, logits_head: logitsHead };
  };
  await runModelLines(config, context, { schema: linesOf('prompt', 'continuation'), results });
}
