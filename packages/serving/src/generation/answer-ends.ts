import { endOfText, type LanguageModel } from '@bowyer/models';
import type { ChatTemplate } from '@bowyer/text';

export interface AnswerEnds {
  model: LanguageModel;
  /** Null: no chat. */
  template: Pick<ChatTemplate, 'terminatorIds'> | null;
  /** Further ones. */
  terminatorIds?: readonly number[];
}

/** Tokens that end every answer of a served model. */
export const answerEnds = ({ model, template, terminatorIds = [] }: AnswerEnds): number[] => [
  ...new Set([...terminatorIds, ...(template?.terminatorIds ?? []), ...endOfText(model)]),
];
