// Tests masks against their definition: a token is allowed if some text of the grammar begins with the text so far and the token's
// bytes.
import {
  characters,
  ConstraintCompiler,
  either,
  GrammarError,
  pattern,
  repeat,
  rule,
  sequence,
  text,
  textWithout,
  token,
  TokenSpelling,
  TokenVocabulary,
  wordLevelTokenizer,
  type Grammar,
  type Tokenizer,
} from '../src/index.js';
import { Draws } from './draws.js';
import { drawnAnswer, idsOf, smallTokenizer } from './constraint-answers.js';

const KINDS = [
  // Byte-level vocabularies.
  'gpt2',
  'qwen2',
  'llama3',
  'o200k',
  'deepseek',
  'bloom',
  'roberta',
  'byte-normalizer',
  // SentencePiece vocabularies with byte tokens.
  'llama2',
  'mistral',
  'gemma',
  'deberta3',
  // SentencePiece vocabularies without byte tokens.
  'albert',
  't5',
  'nmt',
  'xlm-roberta',
  // WordPiece vocabularies.
  'bert-cased',
  'bert-uncased',
  'prefixed',
];

const compile = (vocabulary: TokenVocabulary, grammar: Grammar) => new ConstraintCompiler(vocabulary).compile(grammar);

/** Lists the tokens that the definition allows after `ids`. `texts` lists all texts of the grammar. */
function allowedByDefinition(texts: readonly string[], ids: readonly number[], tokenizer: Tokenizer): number[] {
  const spelling = new TokenSpelling(tokenizer);
  const before = Buffer.concat(ids.map((id) => spelling.next(id)));
  const [letter] = tokenizer.encode('a');
  const whole = texts.map((each) => Buffer.from(each));
  return Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter((id) => {
    if (tokenizer.decode([letter, id]) === tokenizer.decode([letter])) return false; // a special token
    const bytes = Buffer.concat([before, spelling.peek(id)]);
    return bytes.length > before.length && whole.some((each) => each.subarray(0, bytes.length).equals(bytes));
  });
}

const finite: [name: string, grammar: Grammar, texts: string[]][] = [
  [
    'fixed texts',
    either(text('a'), text('ab'), text('the end'), text('{"é": "🙂"}')),
    ['a', 'ab', 'the end', '{"é": "🙂"}'],
  ],
  [
    'a repetition',
    sequence(text('x'), repeat(either(text('a'), text('ba')), 0, 2)),
    ['x', 'xa', 'xba', 'xaa', 'xaba', 'xbaa', 'xbaba'],
  ],
  [
    'a class',
    sequence(
      characters([
        ['a', 'b'],
        ['é', 'é'],
      ]),
      text('!'),
    ),
    ['a!', 'b!', 'é!'],
  ],
  ['a pattern', pattern('(?:in|to)?the(?=m)(m|n)'), ['them', 'inthem', 'tothem']],
  [
    'rules',
    sequence(
      rule(() => text('th')),
      rule(() => either(sequence(), text('e'))),
    ),
    ['th', 'the'],
  ],
];

let compared = 0;
// Most vocabularies contain most characters of the texts, so most cases are compared.
afterAll(() => expect(compared).toBeGreaterThan(60));

describe.each(KINDS)('%s', (kind) => {
  const { tokenizer, vocabulary } = smallTokenizer(kind);
  const isSpelled = (content: string) => tokenizer.decode(tokenizer.encode(content)) === content;

  test.each(finite)('masks are those of the definition: %s', (_, grammar, texts) => {
    // Unlike the definition, masks also exclude tokens that lead only to texts which the vocabulary cannot spell.
    if (!texts.every(isSpelled)) return;
    compared++;
    const compiled = compile(vocabulary, grammar);
    const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
    for (let seed = 0; seed < 10; seed++) {
      const rng = new Draws(seed);
      const constraint = compiled.start();
      const ids: number[] = [];
      while (!constraint.mustEnd) {
        constraint.allowed(mask);
        const allowed = idsOf(mask).filter((id) => !vocabulary.endIds.includes(id));
        expect(allowed).toEqual(allowedByDefinition(texts, ids, tokenizer));
        ids.push(allowed[rng.integer(0, allowed.length - 1)]);
        constraint.accept(ids.at(-1)!);
        expect(constraint.canEnd).toBe(texts.includes(tokenizer.decode(ids)));
      }
      expect(texts).toContain(tokenizer.decode(ids));
    }
  });

  test('an answer is finished within any budget that it can be finished in', () => {
    const list: Grammar = rule(() =>
      sequence(text('['), repeat(either(list, characters([['a', 'e']])), 0, 5), text(']')),
    );
    let compiled;
    try {
      compiled = compile(vocabulary, list);
    } catch (error) {
      expect(error).toBeInstanceOf(GrammarError); // the vocabulary contains no brackets
      return;
    }
    for (let seed = 0; seed < 40; seed++) {
      const maxTokens = compiled.leastTokens + 1 + (seed % 10);
      const { ids, finished } = drawnAnswer(compiled, vocabulary, maxTokens, new Draws(seed));
      expect(finished).toBe(true);
      expect(tokenizer.decode(ids).replaceAll(' ', '')).toMatch(/^\[[a-e[\]]*\]$/);
    }
  });
});

describe('a byte-level vocabulary', () => {
  const { tokenizer, vocabulary } = smallTokenizer('gpt2');
  const start = (grammar: Grammar) => compile(vocabulary, grammar).start();
  const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
  const [end] = vocabulary.endIds;

  test('special tokens are allowed where they are named and nowhere else, the end where the text may end', () => {
    const constraint = start(sequence(textWithout('#'), token(end), text('!')));
    constraint.allowed(mask);
    expect(idsOf(mask)).toContain(end); // the grammar names the token here
    expect(constraint.canEnd).toBe(false);
    constraint.accept(end);
    constraint.allowed(mask);
    expect(idsOf(mask)).toEqual(tokenizer.encode('!'));
    constraint.accept(tokenizer.encode('!')[0]);
    expect(constraint.allowed(mask)).toBe(false);
    expect(idsOf(mask)).toEqual([end]);
    expect([constraint.canEnd, constraint.mustEnd]).toEqual([true, true]);
  });

  test('a text without a mark: tokens that complete the mark are left out, its beginnings are not', () => {
    const accepts = (content: string) => {
      const constraint = start(textWithout('</end>'));
      for (const id of tokenizer.encode(content)) constraint.accept(id);
      return constraint.canEnd;
    };
    expect(accepts('')).toBe(true);
    expect(accepts('</en </end <</end')).toBe(true);
    expect(() => accepts('a </end>')).toThrow('the grammar does not allow token');
  });

  test('a token may span several symbols, and parts of characters are tokens', () => {
    const constraint = start(
      sequence(text('t'), characters([['a', 'z']]), text('e'), characters([['\u{1F600}', '\u{1F64F}']])),
    );
    for (const id of tokenizer.encode('the')) constraint.accept(id);
    expect(tokenizer.encode('the')).toHaveLength(1);
    const bytes: number[] = [];
    while (!constraint.canEnd) {
      constraint.allowed(mask);
      const [id] = idsOf(mask);
      bytes.push(...vocabulary.rest.bytes[id]);
      constraint.accept(id);
    }
    expect(Buffer.from(bytes).toString()).toMatch(/^[\u{1F600}-\u{1F64F}]$/u);
    expect(bytes.length).toBe(4);
  });

  test('a budget leaves only tokens after which the answer can be ended; with too small a one, the shortest way is taken', () => {
    const constraint = start(either(text('x'), sequence(text('z'), repeat(text('#'), 4, 4))));
    const allowed = (budget: number) => {
      constraint.allowed(mask, budget);
      return tokenizer.decode(idsOf(mask));
    };
    expect(allowed(6)).toBe('xz'); // z####, then the end
    expect(allowed(5)).toBe('x');
    expect(allowed(1)).toBe('x');
  });

  test('a clone continues independently', () => {
    const constraint = start(either(text('ax'), text('bx')));
    const other = constraint.clone();
    constraint.accept(tokenizer.encode('a')[0]);
    other.accept(tokenizer.encode('b')[0]);
    expect(() => other.accept(tokenizer.encode('b')[0])).toThrow(RangeError);
    constraint.accept(tokenizer.encode('x')[0]);
    expect([constraint.canEnd, other.canEnd]).toEqual([true, false]);
  });

  test('grammars that cannot be used are named, and leave the compiler as it was', () => {
    const compiler = new ConstraintCompiler(vocabulary);
    const endless: Grammar = rule(() => either(text('a'), sequence(repeat(text('b'), 0), endless, text('c'))));
    expect(() => compiler.compile(endless)).toThrow('a rule of the grammar begins with itself');
    expect(() => compiler.compile(either())).toThrow('the grammar has no texts');
    expect(() => compiler.compile(token(vocabulary.size))).toThrow('is not one that the model can generate');
    const least = compiler.compile(
      sequence(
        text('a'),
        rule(() => text('b')),
      ),
    ).leastTokens;
    expect(least).toBe(2);
  });
});

test('bounded repetitions of one class have the masks of the same repetition written out', () => {
  const { vocabulary } = smallTokenizer('qwen2');
  const letter = characters([['a', 'z']]);
  const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
  for (const [min, max] of [
    [0, 3],
    [2, 4],
    [3, 3],
    [1, 30],
  ]) {
    const counted = compile(vocabulary, sequence(pattern(`[a-z]{${min},${max}}`), text('"'))).start();
    const written = compile(vocabulary, sequence(repeat(letter, min, max), text('"'))).start();
    const rng = new Draws(min + max);
    while (!counted.mustEnd)
      for (const budget of [Infinity, 8, 4, 3]) {
        counted.allowed(mask, budget);
        const allowed = idsOf(mask);
        written.allowed(mask, budget);
        expect(allowed).toEqual(idsOf(mask));
        if (budget !== 3 || allowed.length === 0) continue;
        const id = allowed[rng.integer(0, allowed.length - 1)];
        counted.accept(id);
        written.accept(id);
      }
  }
});

test('words: fixed texts are spelled with whole ones, and what cannot be spelled is refused', () => {
  const tokenizer = wordLevelTokenizer(['yes it is', ' no, it is not']);
  const vocabulary = new TokenVocabulary(tokenizer);
  const compiled = compile(vocabulary, either(text('yes it is'), text('yes it was')));
  const { ids, finished } = drawnAnswer(compiled, vocabulary, 4, new Draws(1));
  expect([tokenizer.decode(ids), finished]).toEqual(['yes it is', true]);
  expect(() => compile(vocabulary, text('maybe'))).toThrow(GrammarError);
});

test('a decoder with which tokens depend on their neighbours is refused by name', () => {
  expect(() => smallTokenizer('clip')).toThrow(
    "with the decoder BPEDecoder a token's text depends on the tokens beside it",
  );
});
