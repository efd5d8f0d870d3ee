// What a model's generation_config.json changes about the texts that it writes for people.
import { openAdapterDirectory, readLogitRules, Seq2SeqModel, type LanguageModel, type LogitRules } from '@bowyer/models';
import type { SharedConfig } from '../config/keys.js';

/** The rules of the model in a folder, with the config's repetition penalty where it has one. */
export async function textRules(
  dir: string,
  model: LanguageModel | Seq2SeqModel,
  { repetitionPenalty, doSample }: Pick<SharedConfig, 'repetitionPenalty' | 'doSample'>,
): Promise<LogitRules> {
  const isEncoderDecoder = model instanceof Seq2SeqModel;
  const { vocabSize } = model.architecture;
  const { baseDir } = await openAdapterDirectory(dir);
  const { rules } = await readLogitRules(baseDir, vocabSize, { samples: doSample, isEncoderDecoder });
  if (repetitionPenalty === null) return rules;
  if (isEncoderDecoder && repetitionPenalty !== 1)
    throw new Error(
      `repetition_penalty: ${dir} is an encoder-decoder, for which it is not supported\n  write repetition_penalty=1`,
    );
  return { ...rules, repetitionPenalty };
}
