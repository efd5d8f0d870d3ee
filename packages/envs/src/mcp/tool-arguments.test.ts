// Tests schemas of untrusted servers: their verdicts on values, and their limits.
import type { Tool } from '@modelcontextprotocol/client';
import { argumentChecks, resultFault } from './tool-arguments.js';

const tool = (name: string, properties: object): Tool => ({
  name,
  inputSchema: { type: 'object', properties: properties as Tool['inputSchema']['properties'] },
});
const long = `${'a'.repeat(40)}b`;

const slow = tool('slow', { a: { type: 'string', pattern: '(a+)+$' } });

test('values are checked by the schemas of their tools, also after one that takes longer than it may, which is not made again', async () => {
  const checks = await argumentChecks([
    slow,
    tool('plain', { a: { type: 'string', maxLength: 3 }, b: { type: 'integer' } }),
  ]);
  expect(await checks.get('plain')!({ a: 'abc', b: 1 })).toBeNull();
  expect(await checks.get('slow')!({ a: 'aaa' })).toBeNull();
  const [fault, others] = await Promise.all([checks.get('slow')!({ a: long }), checks.get('plain')!({ a: 'abcd' })]);
  expect(fault).toBe('the check by its schema takes longer than 5 s');
  expect(others).toBe('arguments/a must NOT have more than 3 characters');
  // Each of these would take 5 s.
  for (let turn = 0; turn < 20; turn++) expect(await checks.get('slow')!({ a: long })).toBe(fault);
}, 60_000);

test('structured results are checked as well', async () => {
  const { inputSchema: outputSchema } = slow; // the check of the same value has failed above
  expect(await resultFault({ outputSchema }, { a: 1 })).toBe('structuredContent/a must be string');
  expect(await resultFault({ outputSchema }, { a: long })).toContain('takes longer than');
  expect(await resultFault({}, { a: long })).toBeNull();
}, 30_000);

test('a schema that cannot be compiled is named with its tool', async () => {
  const checks = argumentChecks([tool('odd', { a: { type: 'string', pattern: '(' } })]);
  await expect(checks).rejects.toThrow("the schema of the tool 'odd' cannot be used: Invalid regular expression");
});
