import { endOfText, type LanguageModel } from '@bowyer/models';
import type { ChatTemplate } from '@bowyer/text';

export interface AnswerEnds {
  model: LanguageModel;
  /** The chat template; null for a model without one. */
  template: Pick<ChatTemplate, 'terminatorIds'> | null;
  /** End tokens in addition to those of the model and the template. */
  terminatorIds?: readonly number[];
}

export const answerEnds = ({ model, template, terminatorIds = [] }: AnswerEnds): number[] => [
  ...new Set([...terminatorIds, ...(template?.terminatorIds ?? []), ...endOfText(model)]),
];
