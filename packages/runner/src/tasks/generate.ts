// task=generate: texts that go on from prompts or, from an encoder-decoder, that answer them; greedy or sampled.
import {
  endOfText,
  generateTargets,
  generateTexts,
  Seq2SeqModel,
  type LanguageModel,
  type PromptItem,
} from '@bowyer/models';
import { agentTokens } from '../agent-tokens.js';
import type { RunConfig } from '../run-config.js';
import { linesOf, runModelLines } from './model-lines.js';
import type { TaskContext } from './task.js';

export async function generate(config: RunConfig, context: TaskContext): Promise<void> {
  const { seed, batchSize, temperature, topK, topP, doSample, maxNewTokens } = config;
  const results = async function* (model: LanguageModel | Seq2SeqModel, items: PromptItem[]) {
    const options = { temperature, topK, topP, greedy: !doSample, maxNewTokens, batchSize, seed };
    const texts =
      model instanceof Seq2SeqModel
        ? generateTargets(model, items, { ...options, terminatorIds: targetEnds(model, config) })
        : generateTexts(model, items, { ...options, terminatorIds: textEnds(model, config) });
    for await (const { text, ids, logprobs, finishReason } of texts)
      yield { text, ids, logprobs, finish_reason: finishReason };
  };
  await runModelLines(config, context, { schema: linesOf('prompt'), results });
}

const textEnds = (model: LanguageModel, config: RunConfig) => [
  ...new Set([...agentTokens(model.tokenizer, config).terminatorIds, ...endOfText(model)]),
];

/** Without a tokenizer there is no `eos_str`, only what the checkpoint's own files name. */
const targetEnds = ({ tokenizer, rules }: Seq2SeqModel, config: RunConfig) => [
  ...new Set([...(tokenizer ? agentTokens(tokenizer, config).terminatorIds : []), ...rules.eosIds]),
];
