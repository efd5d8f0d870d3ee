import { newFolder } from '@bowyer/testing';
import { loadTokenizer } from './tokenizer.js';
import { wordLevelTokenizer } from './word-level-tokenizer.js';

const answers = [' Yes.\n', ' No.\n', ' Invalid Question.\n'];
const history = 'Questions:\nIs it big? Yes.\nis it a dog ? No.\n';
const pieces = (tokenizer: ReturnType<typeof wordLevelTokenizer>, text: string) =>
  tokenizer.encode(text).map((id) => tokenizer.decode([id], { keepSpecialTokens: true }));

test('a word keeps its space, an answer is one token with its newline', () => {
  const tokenizer = wordLevelTokenizer([history], { wholeTokens: answers });
  expect(pieces(tokenizer, history)).toEqual([
    'Questions',
    ':',
    '\n',
    'Is',
    ' it',
    ' big',
    '?',
    ' Yes.\n',
    'is',
    ' it',
    ' a',
    ' dog',
    ' ?',
    ' No.\n',
  ]);
});

test('special tokens come first: <pad> 0, <eos> 1, <unk> 2', () => {
  const tokenizer = wordLevelTokenizer(['dog'], {});
  expect([tokenizer.padTokenId, tokenizer.eosTokenId, tokenizer.vocabSize]).toEqual([0, 1, 4]);
  expect(tokenizer.encode('dog cat')).toEqual([3, 2]); // ' cat' was never seen
  expect(tokenizer.decode([3, 1])).toBe('dog');
});

test('with split digits a number is its digits, after a space of its own', () => {
  const tokenizer = wordLevelTokenizer(["7 + 0 = x9; It's 123456.8"], { spells: 'digits' });
  expect(pieces(tokenizer, "12 + 304 = x5; It's 6.7")).toEqual([
    '1',
    '2',
    ' +',
    ' ',
    '3',
    '0',
    '4',
    ' =',
    ' x',
    '5',
    ';',
    " It's",
    ' ',
    '6',
    '.',
    '7',
  ]);
});

test('with spelt codes a product number that was never seen is pairs of characters', () => {
  const tokenizer = wordLevelTokenizer(['[B0Z1A] Lip Balms 2 X, 345 HD 4Pack'], { spells: 'codes' });
  expect(pieces(tokenizer, '[Z1B0A] Lip Balms 2 HD, 34 4Pack')).toEqual([
    '[',
    'Z1',
    'B0',
    'A',
    ']',
    ' Lip',
    ' Balms',
    ' ',
    '2',
    ' H',
    'D',
    ',',
    ' ',
    '34',
    ' ',
    '4',
    'Pack',
  ]);
});

test('rare words are left out', () => {
  const tokenizer = wordLevelTokenizer(['dog dog cat', 'dog'], { minCount: 2 });
  expect(pieces(tokenizer, 'dog dog cat')).toEqual(['dog', '<unk>', '<unk>']); // 'dog' occurs twice, ' dog' and ' cat' once
});

test('property: decode(encode(text)) is the text, for random sentences of known words', () => {
  // Random numbers from Park and Miller's generator, so that each run tests the same texts.
  let state = 5;
  const below = (bound: number) => Math.floor((bound * (state = (48_271 * state) % 0x7fffffff)) / 0x7fffffff);
  const words = [
    'is',
    'Ünder',
    'can’t',
    "can't",
    '20',
    'a-b',
    '?',
    '...',
    '(x)',
    '\n',
    '\t',
    '  ',
    '🙂',
    '{"Question":',
    ...answers,
  ];
  const sentence = () =>
    Array.from({ length: 1 + below(12) }, () => (below(2) === 0 ? ' ' : '') + words[below(words.length)]).join('');
  const sentences = Array.from({ length: 300 }, sentence);
  for (const spells of [undefined, 'digits', 'codes'] as const) {
    const tokenizer = wordLevelTokenizer(sentences, { wholeTokens: answers, spells });
    expect(sentences.map((text) => tokenizer.decode(tokenizer.encode(text)))).toEqual(sentences);
  }
});

test('saved as tokenizer.json, it loads as any other tokenizer and gives the same ids', async () => {
  const dir = newFolder();
  const tokenizer = wordLevelTokenizer([history], { wholeTokens: answers });
  await tokenizer.save(dir);
  const loaded = await loadTokenizer(dir);
  const text = `${history}Is it a zebra? Invalid Question.\n`;
  expect(loaded.encode(text)).toEqual(tokenizer.encode(text));
  expect(loaded.encodeWithSpecials(text)).toEqual(tokenizer.encode(text)); // the tokenizer has no special tokens to add
  expect([loaded.padTokenId, loaded.eosTokenId, loaded.vocabSize]).toEqual([0, 1, tokenizer.vocabSize]);
});

test('whole tokens with every mark that patterns give a meaning to', () => {
  const wholeTokens = [' twenty-one', ' a/b', ' (x|y)', ' [z]{2}', ' 1+1*2?', ' ^$.\\', ' c-\n'];
  const tokenizer = wordLevelTokenizer(['so:'], { wholeTokens });
  for (const token of wholeTokens) {
    const ids = tokenizer.encode(`so:${token}`);
    expect(ids).toHaveLength(3); // "so", ":" and the added token
    expect(tokenizer.decode(ids)).toBe(`so:${token}`);
  }
});
