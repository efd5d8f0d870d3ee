// Marks of a format in grammars: what is one token for the tokenizer must be that token.
import { text, token, type Grammar, type Tokenizer } from '@bowyer/text';

export class GrammarMarks {
  constructor(private readonly tokenizer: Pick<Tokenizer, 'tokenToId'>) {}

  of = (mark: string): Grammar => {
    const id = this.tokenizer.tokenToId(mark);
    return id === undefined ? text(mark) : token(id);
  };
}
