import { statedLimits } from '../longest-first.mjs';

test('the limits that a file gives its tests and hooks are added, other numbers are not', () => {
  const text = `
beforeAll(async () => {
  await start({ port: 36_001 });
}, 60_000);
test('short', () => {
  expect(sum([10_000, 20_000])).toBe(30_000);
});
test.each(cases)('long', async () => {
  await run();
}, 120_000);
test(
  'with a long title',
  async () => {
    await run();
  },
  90_000,
);
`;
  expect(statedLimits(text)).toBe(60_000 + 120_000 + 90_000);
});

test('a file without limits has none', () => {
  expect(statedLimits("test('short', () => {});\n")).toBe(0);
});
