import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTasks, splitTasks, taskOf } from './tasks.js';
import { newFolder } from '@bowyer/testing';

const folder = newFolder();

const made = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `t${i}` }));
const held = { evalTasks: null, testTasks: null, evalShare: 0.1, testShare: 0.2 };
const ids = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id);

async function file(text: string): Promise<string> {
  const path = join(folder, 'tasks.jsonl');
  await writeFile(path, text);
  return path;
}

test('each line is an object with an id of its own', async () => {
  // A last line counts also without a line feed.
  expect(await readTasks(await file('{"id": 1, "question": "a"}\n\n{"id": "x"}'))).toEqual([
    { id: '1', question: 'a' },
    { id: 'x' },
  ]);
  const path = await file('{"id": "a"}\n{"name": "b"}\n');
  await expect(readTasks(path)).rejects.toThrow(`${path}: line 2 is not an object with an 'id'`);
  await file('{"id": "a"}\n{"id": "a"}\n');
  await expect(readTasks(path)).rejects.toThrow(`${path}: two tasks have the id 'a'`);
  await file('{"id": "a", "by": [{"x": 1, "x": 2}]}\n');
  const twice = 'line 1 has an object with the key "x" twice, of which one would be lost; remove one';
  await expect(readTasks(path)).rejects.toThrow(`${path}: ${twice}`);
  await file('');
  await expect(readTasks(path)).rejects.toThrow(`${path}: there are no tasks`);
  await expect(readTasks(join(folder, 'none'))).rejects.toThrow(`there is no file ${join(folder, 'none')}`);
  const loop = join(folder, 'loop.jsonl');
  await symlink(loop, loop);
  await expect(readTasks(loop)).rejects.toThrow(`cannot read ${loop}: its symbolic links lead in a circle`);
});

test('splits do not overlap, have their shares, and depend on the ids, not on the order', () => {
  const tasks = made(50);
  const parts = splitTasks(tasks, held);
  expect([parts.train.length, parts.eval.length, parts.test.length]).toEqual([35, 5, 10]);
  expect(new Set(Object.values(parts).flatMap(ids)).size).toBe(50);
  const turned = splitTasks([...tasks].reverse(), held);
  expect(new Set(ids(turned.test))).toEqual(new Set(ids(parts.test)));
  expect(new Set(ids(turned.eval))).toEqual(new Set(ids(parts.eval)));
});

test('a share holds out at least one task; a share of 0 none; given tasks are taken as they are', () => {
  const few = splitTasks(made(4), held);
  expect([few.train.length, few.eval.length, few.test.length]).toEqual([2, 1, 1]);
  const all = splitTasks(made(4), { ...held, evalShare: 0, testShare: 0 });
  expect([all.train, all.eval, all.test].map(ids)).toEqual(Array(3).fill(ids(made(4))));
  const own = [{ id: 'own' }];
  const given = splitTasks(made(4), { ...held, evalTasks: own, testTasks: own });
  expect([given.train.length, given.eval, given.test]).toEqual([4, own, own]);
  expect(() => splitTasks(made(2), held)).toThrow(
    '2 tasks, of which 1 are held out for the test and 1 for evaluations: none is left to train on',
  );
});

const fruits = ['apple', 'pear', 'plum', 'fig', 'lime', 'kiwi', 'melon', 'date', 'grape', 'peach'];

const groupedBy = (names: readonly string[], family: (id: string) => string) => {
  const groups = new Map<string, string[]>();
  for (const id of names) groups.set(family(id), [...(groups.get(family(id)) ?? []), id]);
  return groups;
};

/** Common forms of ids, and the family of an id: the part that neighbours share. */
const forms: [name: string, ids: string[], family: (id: string) => string][] = [
  ['numbers', made(1000).map((_, i) => String(i)), (id) => id.slice(0, -1)],
  ['padded numbers', made(1000).map((_, i) => `task-${String(i).padStart(4, '0')}`), (id) => id.slice(0, -1)],
  ['numbers in a file name', made(600).map((_, i) => `train/${i}.json`), (id) => id.replace(/\d\.json$/, '')],
  ['issues', made(300).map((_, i) => `django__django-${10000 + 7 * i}`), (id) => id.slice(0, -2)],
  ['letters', made(676).map((_, i) => String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26))), (id) => id[0]],
  [
    'kinds',
    ['price', 'stock', 'order'].flatMap((k) => fruits.flatMap((f) => made(20).map((_, i) => `${k}-${f}-${i}`))),
    (id) => id.split('-')[0],
  ],
  ['seeds of worlds', made(500).map((_, i) => `seed ${i * 100}`), (id) => id.slice(0, -3)],
];

test.each(forms)(
  'the held-out tasks of %s are like a random sample: each family of ids loses its share',
  (_, names, family) => {
    const { train } = splitTasks(
      names.map((id) => ({ id })),
      held,
    );
    const trained = new Set(ids(train));
    const families = groupedBy(names, family);
    const share = 0.3;
    let chiSquare = 0;
    for (const members of families.values()) {
      const expected = share * members.length;
      const found = members.filter((id) => !trained.has(id)).length;
      chiSquare += (found - expected) ** 2 / (expected * (1 - share));
    }
    // A chi-square with k − 1 degrees of freedom exceeds its mean by four standard deviations of √(2(k − 1)) once in 10,000.
    const freedom = families.size - 1;
    expect(chiSquare).toBeLessThan(freedom + 4 * Math.sqrt(2 * freedom));
  },
);

test('an evaluation of fewer rollouts than tasks plays a sample of them, of given tasks too', () => {
  const sorted = [
    ...made(100).map(({ id }) => ({ id: `easy-${id}` })),
    ...made(100).map(({ id }) => ({ id: `hard-${id}` })),
  ];
  const { test } = splitTasks(made(4), { ...held, testTasks: sorted });
  const firstHalf = Array.from({ length: 100 }, (_, i) => taskOf(test, { split: 'test', group: i, seed: 0 }).id);
  const easy = firstHalf.filter((id) => id.startsWith('easy')).length;
  expect(Math.abs(easy - 50)).toBeLessThan(4 * Math.sqrt(100 * 0.25 * 0.5)); // its standard deviation is 3.5 (hypergeometric distribution)
});

test('training plays each task once in each pass, each time in another order; evaluations play them in the given order', () => {
  const tasks = made(5);
  const played = (split: 'train' | 'eval', from: number) =>
    Array.from({ length: 5 }, (_, i) => taskOf(tasks, { split, group: from + i, seed: 3 }).id);
  const passes = [0, 5, 10].map((from) => played('train', from));
  for (const pass of passes) expect([...pass].sort()).toEqual(ids(tasks));
  expect(new Set(passes.map(String)).size).toBeGreaterThan(1);
  expect(played('train', 5)).toEqual(passes[1]);
  expect(played('eval', 5)).toEqual(ids(tasks));
});
