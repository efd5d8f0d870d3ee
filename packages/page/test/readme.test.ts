// The program of the README, bundled as for a page. Node has blobs and addresses as a page has them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { newFolder } from '@bowyer/testing';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/** Makes the bytes of a file of weights: the length of its header, the header, the numbers. */
function safetensors(numbers: readonly number[]): Buffer {
  const header = JSON.stringify({
    w: { dtype: 'F32', shape: [numbers.length], data_offsets: [0, 4 * numbers.length] },
  });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, Buffer.from(header), Buffer.from(Float32Array.from(numbers).buffer)]);
}

test('the program of the README composes a config and opens weights', async () => {
  const address = (numbers: number[]) => `data:;base64,${safetensors(numbers).toString('base64')}`;
  const program = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
  const { outputFiles } = await build({
    stdin: {
      contents: `${program.replace('https://example.org/model.safetensors', address([4, 5]))}
        export const found = [composed, (await weights.read('w')).data, (await (await openSafetensors('/other')).read('w')).data];`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    banner: { js: `const file = await (await fetch('${address([1, 2, 3])}')).blob();` },
  });
  const path = join(newFolder(), 'program.mjs');
  writeFileSync(path, outputFiles[0]!.text);
  const { found } = (await import(pathToFileURL(path).href)) as { found: [unknown, ...Float32Array[]] };
  expect(found[0]).toEqual({ seed: 1, agent: { name: 'ppo' } });
  expect(found.slice(1).map((numbers) => [...(numbers as Float32Array)])).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});
