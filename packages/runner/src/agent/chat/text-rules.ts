// Reads the rules in a model's generation_config.json, such as a repetition penalty.
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
 * Warns if an agent's model comes with rules for its texts. They are not applied in play: the update scores samples under the
 * model's own distribution, and evaluation plays as training does.
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

/** Reads the rules of the model in a folder, with the config's repetition penalty where it has one. */
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
