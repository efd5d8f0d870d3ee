// Implements task=score: computes the log-probabilities of given continuations after given prompts. For an encoder-decoder the
// prompt is the encoder's input and the continuation the decoder's output.
import {
  scoreContinuations,
  scoreTargets,
  Seq2SeqModel,
  type ContinuationItem,
  type LanguageModel,
} from '@bowyer/models';
import { deviceOf, type DeviceConfig } from '../../agent/policy/device-choice.js';
import type { NodePart } from '../../agent/keys/agent-keys.js';
import { linesOf, runModelLines } from '../model-lines.js';
import type { TaskConfig } from '../task.js';
import type { scoreOptions } from './unit.js';
import type { TaskContext } from '../../context/task-context.js';

type ScoreConfig = DeviceConfig &
  NodePart<'policy', 'quantization'> &
  TaskConfig<typeof scoreOptions, 'model' | 'input' | 'output'>;

export async function score(config: ScoreConfig, context: TaskContext): Promise<void> {
  const { task, policy } = config;
  const results = async function* (model: LanguageModel | Seq2SeqModel, items: ContinuationItem[]) {
    const options = { maxTokens: task.batchTokens };
    const scores =
      model instanceof Seq2SeqModel ? scoreTargets(model, items, options) : scoreContinuations(model, items, options);
    for await (const { promptIds, continuationIds, logprobs, logitsHead } of scores)
      yield { prompt_ids: promptIds, continuation_ids: continuationIds, logprobs, logits_head: logitsHead };
  };
  await runModelLines({ ...task, ...policy, device: deviceOf(config) }, context, {
    schema: linesOf('prompt', 'continuation'),
    results,
  });
}
