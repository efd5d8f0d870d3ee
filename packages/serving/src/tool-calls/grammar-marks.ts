// Makes the grammars of a format's markers, such as `<tool_call>`: if a marker is a single token of the tokenizer, it must be
// generated as this token, otherwise as its characters.
import { text, token, type Grammar, type Tokenizer } from '@bowyer/text';

export class GrammarMarks {
  constructor(private readonly tokenizer: Pick<Tokenizer, 'tokenToId'>) {}

  of = (mark: string): Grammar => {
    const id = this.tokenizer.tokenToId(mark);
    return id === undefined ? text(mark) : token(id);
  };
}
