import type { LoadedAdapter, ReadAdapter } from '@bowyer/models';
import { AdapterRegistry } from './adapter-registry.js';

/** Returns an adapter bank with space for two adapters. It loads any folder except those called `broken`. */
function bankOf(places = 2) {
  const taken = new Set<LoadedAdapter>();
  const events: string[] = [];
  return {
    events,
    layout: { places, rank: 1, weights: new Map() },
    get free() {
      return places - taken.size;
    },
    read: (dir: string) =>
      dir === 'broken'
        ? Promise.reject(new Error('it is broken'))
        : Promise.resolve({ dir, base: null } as ReadAdapter),
    load({ dir }: ReadAdapter) {
      const adapter = { dir, place: taken.size } as LoadedAdapter;
      taken.add(adapter);
      events.push(`load ${dir}`);
      return Promise.resolve(adapter);
    },
    unload(adapter: LoadedAdapter) {
      taken.delete(adapter);
      events.push(`unload ${adapter.dir}`);
    },
  };
}

const ticks = () => new Promise<void>((resolve) => setImmediate(resolve));

test('an unloaded adapter stays in memory until its last answer has ended; then a waiting adapter is loaded', async () => {
  const bank = bankOf(1);
  const registry = new AdapterRegistry('base', bank, () => 5000);
  await registry.load('a', 'dir-a');
  expect(registry.adapters).toEqual([{ name: 'a', dir: 'dir-a', loadedAt: 5000 }]);
  const [first, second] = [registry.use('a'), registry.use('a')];
  expect(first.adapter).toMatchObject({ dir: 'dir-a' });
  registry.unload('a');
  expect(registry.names).toEqual(['base']);
  expect(() => registry.use('a')).toThrow("The model 'a' does not exist; this server has 'base'");
  const loading = registry.load('b', 'dir-b');
  first.release();
  first.release(); // a second call changes nothing
  await ticks();
  expect(bank.events).toEqual(['load dir-a']);
  second.release();
  await loading;
  expect(bank.events).toEqual(['load dir-a', 'unload dir-a', 'load dir-b']);
  expect(registry.use('base').adapter).toBeNull();
});

test('a replaced adapter stays for the answers that have it, and new ones get the other', async () => {
  const bank = bankOf();
  const registry = new AdapterRegistry('base', bank);
  await registry.load('a', 'old');
  const before = registry.use('a');
  await expect(registry.load('a', 'new')).rejects.toThrow("The adapter 'a' is loaded already");
  await registry.load('a', 'new', { replaces: true });
  expect(before.adapter).toMatchObject({ dir: 'old' });
  expect(registry.use('a').adapter).toMatchObject({ dir: 'new' });
  expect(bank.events).not.toContain('unload old');
  before.release();
  await ticks();
  expect(bank.events).toContain('unload old');
});

test('one adapter too many, the name of the model and an unknown name are refused; a folder that cannot be read changes nothing', async () => {
  const registry = new AdapterRegistry('base', bankOf());
  await expect(registry.load('a', 'broken')).rejects.toThrow('it is broken');
  expect(registry.names).toEqual(['base']);
  // The second call of `load` waits for the end of the first one.
  await Promise.all([registry.load('a', 'dir-a'), registry.load('b', 'dir-b')]);
  await expect(registry.load('c', 'dir-c')).rejects.toThrow(
    'There is room for 2 adapters (task.max_adapters), and a, b have it; unload one first',
  );
  await expect(registry.load('base', 'dir')).rejects.toThrow("'base' is the name of the model itself");
  expect(() => registry.unload('base')).toThrow("'base' is the model itself, not an adapter");
  expect(() => registry.unload('c')).toThrow("The model 'c' does not exist; this server has 'base', 'a', 'b'");
  await expect(new AdapterRegistry('base', null).load('a', 'dir')).rejects.toThrow('no room for adapters');
});
