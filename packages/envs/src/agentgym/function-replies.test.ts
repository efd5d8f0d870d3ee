import { CallSyntaxError, parseCall } from './call-expression.js';
import { parseCodeAction, parseFunctionCall } from './function-replies.js';
import { alfworldFunctions, sciworldFunctions, webshopFunctions } from './functions.js';

const invalid = { refusal: 'Invalid Action.' };

test.each([
  ['{"thought":"t","function_name":"take","arguments":{"obj":"mug 1","recep":"desk 1"}}', 'take mug 1 from desk 1'],
  [
    'Sure: {"thought":"a\nb","function_name":"put","arguments":{"obj":"mug 1","recep":"desk 1"}} done',
    'put mug 1 in/on desk 1',
  ],
  ['{"thought":"","function_name":"examine","arguments":{"recep":"desk 1"}}', 'examine desk 1'],
  ['{"thought":"","function_name":"examine","arguments":{"recep":"d","obj":"lamp 1"}}', 'examine d with lamp 1'],
  ['{"thought":null,"function_name":" inventory ","arguments":{}}', 'inventory'],
  // With too few arguments AgentGym writes an incomplete action, which the game refuses.
  ['{"thought":"","function_name":"take","arguments":{"obj":"mug 1"}}', 'take mug 1'],
  ['{"thought":"","function_name":"goto","arguments":{}}', 'go to'],
  ['{"thought":"","function_name":"open","arguments":{"recep":true}}', 'open True'],
])('function call %s', (reply, action) => {
  expect(parseFunctionCall(reply, alfworldFunctions)).toMatchObject({ action });
});

test.each([
  'no object',
  '{"thought":"","function_name":"fly","arguments":{}}',
  '{"thought":"","function_name":"constructor","arguments":{}}',
  '{"thought":"","function_name":"take","arguments":{"recep":"desk 1"}}',
  '{"thought":"","function_name":"open","arguments":{"recep":"desk 1","obj":"mug 1"}}',
  '{"thought":"","function_name":"take","arguments":{"obj":"mug 1","recep":"desk 1","how":"fast"}}',
  '{"function_name":"inventory","arguments":{}}',
  '{"thought":"","function_name":"inventory"}',
])('%s is not a function call', (reply) => {
  expect(parseFunctionCall(reply, alfworldFunctions)).toEqual(invalid);
});

test('a function of a web shop needs its argument', () => {
  const call = (given: string) => `{"thought":"","function_name":"click","arguments":{${given}}}`;
  expect(parseFunctionCall(call('"item":"Buy Now","n":1'), webshopFunctions)).toMatchObject({
    action: 'click[Buy Now]',
  });
  expect(parseFunctionCall(call('"keywords":"x"'), webshopFunctions)).toEqual(invalid);
  expect(parseFunctionCall(call(''), webshopFunctions)).toEqual(invalid);
});

test.each([
  ["```python\n# it is hot\nuse('thermometer', obj='water')\n```", 'use thermometer on water', 'it is hot'],
  ['lookaround()', 'look around', ''],
  ['wait(duration=1)', 'wait1', ''],
  ['choose(0) # first', '0', 'first'],
  ['connect("red wire",\n  "battery \\"A\\"",)', 'connect red wire to battery "A"', ''],
])('code %s', (reply, action, thought) => {
  expect(parseCodeAction(reply, sciworldFunctions)).toEqual({ action, thought });
});

test.each([
  "search(keywords='a') + 'b'",
  "search(open('x'))",
  'search(f"a")',
  "search('a'); search('b')",
  'search',
  "search('a', keywords='b')",
])('%s is refused, never evaluated', (reply) => {
  expect(parseCodeAction(reply, webshopFunctions)).toEqual(invalid);
});

test('an unreadable call is reported with the unreadable text', () => {
  expect(() => parseCall('take(obj=desk)')).toThrow(new CallSyntaxError('expected a literal, found desk'));
  expect(() => parseCall("take(a='x', 'y')")).toThrow(/without a name follows/);
});
