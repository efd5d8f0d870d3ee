import { HuggingFaceTokenizer } from '../tokenizer.js';
import { runsOfScripts } from './unicode-scripts.js';

// The expected pieces are those of the Python package tokenizers 0.23.2.
test.each([
  ['どこで生れ。Yes', ['どこで生れ', '。', 'Yes']],
  ['  a b я  ', ['a b ', 'я  ']],
  ['ー1', ['ー', '1']],
  ['コーヒー', ['コーヒー']],
  ['a\u0301é!?', ['a', '\u0301', 'é', '!?']],
  ['\ue000x\ue000y', ['x\ue000y']],
  ['x🙂y', ['x', '🙂', 'y']],
  [' ', []],
  ['', []],
])('%j', (given, pieces) => {
  expect([...runsOfScripts(given)]).toEqual(pieces);
});

test('a tokenizer may name it, alone or in a sequence', () => {
  const scripts = { type: 'UnicodeScripts' };
  const vocab = { 'a ': 0, a: 1, я: 2, '?': 3 };
  for (const pre_tokenizer of [scripts, { type: 'Sequence', pretokenizers: [scripts, { type: 'WhitespaceSplit' }] }]) {
    const tokenizer = new HuggingFaceTokenizer(
      { model: { type: 'WordLevel', vocab, unk_token: '?' }, pre_tokenizer },
      {},
    );
    expect(tokenizer.encode('a я')).toEqual([pre_tokenizer === scripts ? 0 : 1, 2]);
  }
});
