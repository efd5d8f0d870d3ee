// Reads the decoding rules in a model's generation_config.json that change the logits, such as a repetition penalty.
import {
  givenRules,
  openAdapterDirectory,
  readLogitRules,
  Seq2SeqModel,
  type LanguageModel,
  type LogitRules,
} from '@bowyer/models';
import type { NodePart } from '../keys/agent-keys.js';

/**
 * Warns if the generation_config.json of an agent's model has decoding rules, such as a repetition penalty. They are not applied
 * when the agent plays: the update scores samples under the model's own distribution, and evaluations play as training does.
 */
export async function warnOfTextRules(dir: string, log: (message: string, level: 'WARNING') => void): Promise<void> {
  const { baseDir } = await openAdapterDirectory(dir);
  const { fields, file } = await givenRules(baseDir);
  if (fields.length > 0)
    log(
      `${file} of ${baseDir} has ${fields.join(', ')}: the agent plays without, since the update scores the model's own distribution`,
      'WARNING',
    );
}

/** Reads the decoding rules of the model in a folder. If the config has a repetition penalty, it replaces the model's. */
export async function textRules(
  dir: string,
  model: LanguageModel | Seq2SeqModel,
  { repetitionPenalty, doSample }: NodePart<'sampling', 'repetitionPenalty' | 'doSample'>['sampling'],
): Promise<LogitRules> {
  const isEncoderDecoder = model instanceof Seq2SeqModel;
  const { vocabSize } = model.architecture;
  const { baseDir } = await openAdapterDirectory(dir);
  const { rules } = await readLogitRules(baseDir, vocabSize, { samples: doSample, isEncoderDecoder });
  if (repetitionPenalty === null) return rules;
  if (isEncoderDecoder && repetitionPenalty !== 1)
    throw new Error(
      `sampling.repetition_penalty: ${dir} is an encoder-decoder, for which it is not supported\n  write sampling.repetition_penalty=1`,
    );
  return { ...rules, repetitionPenalty };
}
