// Measures what a memory can give before anything is trained: how often an example that is retrieved on a held-out item
// has the expert's next action, beside how often that action is one of the training items' at all. Examples are
// retrieved by BM25, with both units.
//   nice node --conditions=source --import tsx benchmarks/memory-recall.ts HELD_OUT CONFIG [OVERRIDE …]
import { compose } from '@bowyer/config';
import { camelKeys } from '@bowyer/core';
import { bm25Index, environmentInfo, episodeOfRecord, Memory, type MemoryEpisode } from '@bowyer/envs';

const [heldOut, configName, ...overrides] = process.argv.slice(2);
const composed = compose({ configDirs: ['configs'], configName, overrides }).config;
const config = camelKeys(composed) as { env: { name: string }; demonstrations: { count: number } };
/** Far from the seeds of runs. */
const SEED = 7919;

async function successes(split: 'train' | 'test', count: number): Promise<MemoryEpisode[]> {
  const { name, ...options } = config.env;
  const request = { ...config.demonstrations, noise: 0, slips: 0, renamed: 0, count, seed: SEED, split };
  const { records } = await environmentInfo(name).demonstrations!.make(options, request);
  return records!.flatMap((record, i) => ('reset' in record ? (episodeOfRecord(record, i, null) ?? []) : []));
}

const known = await successes('train', config.demonstrations.count);
const asked = await successes('test', Number(heldOut));
const actions = new Set(known.flatMap(({ turns }) => turns.map(({ action }) => action.trim())));
const items = new Set(known.map(({ item }) => item)).size;
console.log(`${known.length} games of ${items} items in the memory, ${asked.length} held-out games`);
console.log('unit        top_k  turns    retrieved  in the memory  characters  states');
for (const [unit, topK] of [
  ['transition', 1],
  ['transition', 3],
  ['transition', 5],
  ['episode', 1],
  ['episode', 2],
  ['episode', 3],
] as const) {
  const memory = new Memory({ unit, topK, maxChars: Infinity, capacity: Infinity, makeIndex: bm25Index });
  memory.add(known);
  const counts = new Map<string, { found: number; seen: number; characters: number; all: number }>();
  for (const { item, task, turns } of asked)
    for (const [turn, { observation: own, action }] of turns.entries()) {
      // Whole episodes are retrieved at the reset and stay.
      const observation = unit === 'episode' ? turns[0].observation : own;
      const { text } = await memory.retrieve({ observation, task, item });
      for (const key of ['all', turn === 0 ? 'first' : 'later', action.trim().split(' ')[0]]) {
        const row = counts.get(key) ?? { found: 0, seen: 0, characters: 0, all: 0 };
        row.found += Number(text.split('\n').includes(action.trim()));
        row.seen += Number(actions.has(action.trim()));
        row.characters += text.length;
        row.all++;
        counts.set(key, row);
      }
    }
  for (const [key, { found, seen, characters, all }] of counts)
    console.log(
      `${unit.padEnd(12)}${String(topK).padEnd(7)}${key.padEnd(9)}${(found / all).toFixed(2).padEnd(11)}${(seen / all).toFixed(2).padEnd(15)}` +
        `${(characters / all).toFixed(0).padEnd(12)}${all}`,
    );
}
