import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { lostNumber, membersAsWritten, objectEnd, repeatedKey } from './json-text.js';
import { mcpTasks } from './mcp/task-file.js';

test.each([
  ['{"a": "}"} b', 10],
  ['{"a": [{"b": "\\"}"}, 1.5e-3]}x}', 29],
  ['{}', 2],
  ['{"a": 1', -1],
  ['{"a": 1]}', -1],
  ['{"a" 1}', -1],
  ['[1]', -1],
  ['{"a": nan}', -1],
])('the object at the beginning of %j ends at %i', (text, end) => {
  expect(objectEnd(text, 0)).toBe(end);
});

test('members are as they are written, without white space outside their texts', () => {
  expect(membersAsWritten('{ "a" : 2.50, "b": [1, {"c : d": " e, "}], "f":null,"g" :{ } , "h": "\\u00e9"}')).toEqual({
    a: '2.50',
    b: '[1,{"c : d":" e, "}]',
    f: 'null',
    g: '{}',
    h: '"é"',
  });
});

test.each([
  ['[1, -0, 0.0, 1.50, 1e3, 1.0e+22, 9007199254740992, 0.1, 1e-7]', null],
  ['{"a": "9007199254740993"}', null],
  ['{"a": 9007199254740993}', '9007199254740993'],
  ['[1e400]', '1e400'],
  ['[0.30000000000000004, 0.300000000000000041]', '0.300000000000000041'],
  ['[1e-400]', '1e-400'],
])('a number that loses digits in %s: %s', (json, lost) => {
  expect(lostNumber(json)).toBe(lost);
});

test.each([
  ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}], "d": ["a", "a"], "e": "a"}', null],
  ['{"a": 1, "b": 2, "a": 3}', 'a'],
  ['[1, {"b": [{"c,": {}, "c,": []}]}]', 'c,'],
  ['{"\\u0061": 1, "a": 2}', 'a'],
  ['"a"', null],
])('the key that an object has twice in %s: %s', (json, key) => {
  expect(repeatedKey(json)).toBe(key);
});

test('a number that is the answer of a task keeps its digits; an expert with one that would lose some is refused', () => {
  const path = join(newFolder(), 'tasks.jsonl');
  const line = (id: string, more: string) => `{"id": "${id}", "prompt": "p", ${more}}\n`;
  writeFileSync(
    path,
    line('a', '"answer": 7318204915520000013') + line('b', '"answer": 2.50') + line('c', '"answer": "4"'),
  );
  expect(mcpTasks(path, false).map(({ answer }) => answer)).toEqual(['7318204915520000013', '2.50', '4']);
  const other = `${path}.jsonl`;
  const expert = '[{"name": "cancel", "arguments": {"order": 7318204915520000013}}, {"answer": "ok"}]';
  writeFileSync(other, line('a', `"answer": "ok", "expert": ${expert}`));
  expect(() => mcpTasks(other, false)).toThrow(
    'line 1: the number 7318204915520000013 of its expert has more digits than a number keeps: write a text',
  );
});
