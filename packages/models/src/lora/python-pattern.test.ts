// Tests which paths Python's expressions match, one digit for each path. The expected digits are those of `re` of Python 3.11.
import { cpuMilliseconds } from '@bowyer/testing';
import { endMatcher, fullMatcher } from './python-pattern.js';

const paths = [
  'model.layers.0.self_attn.q_proj',
  'model.layers.1.self_attn.v_proj',
  'model.layers.10.mlp.gate_proj',
  'lm_head',
  'Q_PROJ',
];

const digits = (matches: (path: string) => boolean) => paths.map((path) => (matches(path) ? 1 : 0)).join('');

test.each([
  [String.raw`.*\.(?P<p>[qv])_proj`, '11000'],
  [String.raw`\A.*q_proj\Z`, '10000'],
  [String.raw`(?i:Q)_PROJ`, '00001'],
  [String.raw`.*(?P<a>[a-z])(?P=a).*`, '11000'],
  [String.raw`.*\.(\d)\1.*|.*layers\.(1)0.*`, '00100'],
  [String.raw`(.*)\.(?:self_attn)\.(q|v)_proj$`, '11000'],
  [String.raw`.*layers\.(?:0|10)\..*`, '10100'],
  [String.raw`model\.layers\.\d{1,2}\.(?!mlp).*`, '11000'],
  [String.raw`[^]]*_proj`, '11100'],
  [String.raw`[\w.]+`, '11111'],
  [String.raw`[[]|lm_head`, '00010'],
  [String.raw`.*(?<=q)_proj`, '10000'],
  [String.raw`lm_head|`, '00010'],
  [String.raw`^lm.head$`, '00010'],
  [String.raw`[&&]|lm_head`, '00010'],
])('re.fullmatch of %s', (pattern, expected) => expect(digits(fullMatcher(pattern, 'target_modules'))).toBe(expected));

test.each([
  [String.raw`q_proj`, '10000'],
  [String.raw`layers\.1\..*`, '01000'],
  [String.raw`(?P<n>q)_proj`, '10000'],
  [String.raw`self_attn\.(q|v)_proj`, '11000'],
  [String.raw`(?i:Q)_proj`, '10000'],
  [String.raw`v_proj$`, '01000'],
  [String.raw`^model\.layers\.0\.self_attn\.q_proj`, '10000'],
])('re.match of the path’s end, %s', (pattern, expected) =>
  expect(digits(endMatcher(pattern, 'rank_pattern'))).toBe(expected),
);

test.each([
  [String.raw`\h`, 'it has the escape \\h, which Python does not have'],
  [String.raw`.*\z`, 'it has the escape \\z, which Python does not have'],
  [String.raw`\p{L}`, 'it has the escape \\p, which Python does not have'],
  [String.raw`(?P<n>a)\1`, 'it refers to the group 1, and has groups with names'],
  ['(?i)a', 'it has a group with (?, which is not translated'],
  ['a{1,2}+', 'it has a possessive repetition, which is not translated'],
])('%s is refused with its key', (pattern, problem) =>
  expect(() => fullMatcher(pattern, 'target_modules')).toThrow(
    `target_modules cannot be used (${problem}): ${pattern}`,
  ),
);

test.each(['(a', '[', '*', '(?P<n>a)(?P=m)'])('%s, which Python cannot read, is refused with its key', (pattern) =>
  expect(() => fullMatcher(pattern, 'target_modules')).toThrow(/^target_modules cannot be/),
);

test('one that would take for ever is stopped', () => {
  const pattern = String.raw`(\w|\w|\.)*!`;
  const path = `model.layers.0.${'a'.repeat(85)}`; // a backtracking matcher would need 2 to the power of the number of letters
  const spent = cpuMilliseconds(() =>
    expect(() => fullMatcher(pattern, 'target_modules')(path)).toThrow(
      `target_modules takes too long on a text of 100 characters and was stopped: ${pattern}`,
    ),
  );
  expect(spent).toBeLessThan(4_000);
});
