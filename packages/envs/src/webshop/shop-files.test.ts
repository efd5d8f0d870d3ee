import { jest } from '@jest/globals';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { humanGoals, syntheticGoals } from './goal.js';
import { jsonArrayIn } from './json-array-file.js';
import { productOf } from './product.js';
import { MemoryProducts } from './product-store.js';
import { goalsOf, openProducts } from './shop-files.js';

const options = (given: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values.map((value) => ({ value }))]));

const instructed = (asin: string, price: number, given: Record<string, string[]>, instruction: string) =>
  productOf(
    { asin, name: asin, pricing: `$${price}`, customization_options: options(given) },
    { attributes: ['brass'], instruction, instruction_attributes: ['brass'] },
  );

describe('goals, as Python draws and shuffles them (expected: CPython 3.11, seed 233)', () => {
  test('synthetic: every combination of options, the caps of one price alike, none far up', () => {
    const products = new MemoryProducts([
      instructed('A1', 12.5, { size: ['s', 'l'], color: ['red', 'blue'] }, 'Find me lamps with brass'),
      instructed('A2', 960, {}, 'Find me sofas'),
      instructed('A3', 985, { flavor: ['mint'] }, 'Find me pianos'),
      instructed('A4', 74, { b: ['x', 'y', 'z'] }, 'Find me desks'),
      productOf({ asin: 'A5', name: 'without an instruction' }),
    ]);
    expect(syntheticGoals(products).map(({ instruction }) => instruction)).toEqual([
      'Find me pianos with flavor: mint',
      'Find me desks with b: z, and price lower than 90.00 dollars',
      'Find me lamps with brass with color: red, and size: s, and price lower than 40.00 dollars',
      'Find me lamps with brass with color: red, and size: l, and price lower than 40.00 dollars',
      'Find me sofas, and price lower than 980.00 dollars',
      'Find me desks with b: y, and price lower than 90.00 dollars',
      'Find me desks with b: x, and price lower than 90.00 dollars',
      'Find me lamps with brass with color: blue, and size: l, and price lower than 40.00 dollars',
      'Find me lamps with brass with color: blue, and size: s, and price lower than 40.00 dollars',
    ]);
  });

  test('human, one for every cap: AgentGym’s fork', () => {
    const prices: Record<string, number> = { A1: 12.5, A2: 990, A3: 970 };
    const products = new MemoryProducts(Object.entries(prices).map(([asin, price]) => instructed(asin, price, {}, '')));
    const given = Object.keys(prices).map((asin) => [
      asin,
      [{ instruction: `${asin}.`, instruction_attributes: ['brass'], instruction_options: [] }],
    ]);
    const goals = humanGoals(products, Object.fromEntries(given), { seed: 0, everyCap: true });
    const told = goals.map(({ asin, priceCap }) => `${asin} ${priceCap === 1e6 ? 'none' : priceCap.toFixed(2)}`);
    expect(told).toEqual(
      'A2 none,A3 990.00,A1 20.00,A1 30.00,A2 none,A2 none,A2 none,A1 50.00,A3 980.00,A1 40.00'.split(','),
    );
    expect(goals[0].instruction).toBe('A2');
  });
});

describe('files', () => {
  const folder = newFolder();
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test('an array is read object by object, whatever its strings contain', () => {
    const elements = [{ a: '[{"\\"}' }, { b: { c: [1, { d: '' }] } }, {}];
    expect([...jsonArrayIn(write('a.json', JSON.stringify(elements, null, 1)))]).toEqual(elements);
    expect([...jsonArrayIn(write('b.json', '[]'))]).toEqual([]);
  });

  test.each(['{"a":1}', '[1, 2]', '["a"]', '[{"a":1}', '', 'nothing'])('%s is not an array of objects', (text) => {
    expect(() => [...jsonArrayIn(write('c.json', text))]).toThrow(SyntaxError);
  });

  const records = Array.from({ length: 300 }, (_, i) => ({
    asin: `B0${String(i).padStart(8, '0')}`,
    name: `${['brass', 'steel', 'oak'][i % 3]} lamp number ${i}`,
    full_description: `caf\u00e9 ${'very '.repeat(i % 7)}bright`,
    small_description: ['easy to clean'],
    pricing: `$${i}.50`,
    query: 'lamps',
    customization_options: options({ Color: ['Red', `c${i % 5}`] }),
  }));
  const products = write(
    'items.json',
    JSON.stringify([
      ...records,
      { ...records[0], name: 'the asin is known' },
      { ...records[1], asin: 'too long an asin' },
    ]),
  );
  const attributes = write(
    'attributes.json',
    JSON.stringify({
      B000000007: {},
      B0000000007: {},
      B000000000: {},
      [records[9].asin]: { attributes: ['x'], instruction: 'Find me', instruction_attributes: ['x'] },
    }),
  );
  const files = { products, attributes, productLimit: null };

  test('a catalogue in a folder is the one in memory: products, asins, search, goals', () => {
    const memory = openProducts({ ...files, indexDir: null });
    const disk = openProducts({ ...files, indexDir: join(folder, 'index') });
    expect(disk.products.size).toBe(300);
    for (const id of [0, 7, 299]) expect(disk.products.at(id)).toEqual(memory.products.at(id));
    expect(['B000000299', 'B000000300', ''].map((asin) => disk.products.idOf(asin))).toEqual([
      299,
      undefined,
      undefined,
    ]);
    for (const query of ['brass lamp', 'very bright c3', 'number 17', 'nothing', 'caf\u00e9s']) {
      expect(disk.search.search(query)).toEqual(memory.search.search(query));
    }
    const kind = { kind: 'synthetic', file: null, seed: 0 } as const;
    expect(goalsOf(disk.products, kind)).toEqual(goalsOf(memory.products, kind));
    expect(goalsOf(disk.products, kind)).toHaveLength(2);
  });

  test('the folder is made once, and again when the file has changed; nothing else is left', () => {
    const indexDir = join(folder, 'again');
    const written: string[] = [];
    const said = jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    try {
      openProducts({ ...files, indexDir });
      openProducts({ ...files, indexDir });
      expect(written.filter((line) => line.includes('once'))).toHaveLength(1);
      utimesSync(products, new Date(), new Date(Date.now() + 5000));
      openProducts({ ...files, indexDir });
      expect(written.filter((line) => line.includes('once'))).toHaveLength(2);
    } finally {
      said.mockRestore();
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('again'))).toEqual(['again']);
    expect(existsSync(join(indexDir, 'postings.bin'))).toBe(true);
  });

  test('no more records are read than asked for', () => {
    expect(openProducts({ ...files, productLimit: 12, indexDir: null }).products.size).toBe(12);
  });
});
