// Makes the grammars of a format's marks: a mark that is a single token of the tokenizer must be generated as that token.
import { text, token, type Grammar, type Tokenizer } from '@bowyer/text';

export class GrammarMarks {
  constructor(private readonly tokenizer: Pick<Tokenizer, 'tokenToId'>) {}

  of = (mark: string): Grammar => {
    const id = this.tokenizer.tokenToId(mark);
    return id === undefined ? text(mark) : token(id);
  };
}
