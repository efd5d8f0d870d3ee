// Tests that every data file keeps the schema that it names; files of tasks in a format of others have none.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';

const sources = fileURLToPath(new URL('../src', import.meta.url));
const read = (file: string) => JSON.parse(readFileSync(join(sources, file), 'utf8')) as { $schema: string };
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter(
    (file) => file.endsWith('.json') && !file.endsWith('.schema.json') && !/^(?:harbor|tau2)\/sample\//.test(file),
  )
  .sort();

const ajv = new Ajv({ allErrors: true });

test.each(files)('%s', (file) => {
  const data = read(file);
  ajv.validate(read(join(dirname(file), data.$schema)), data);
  expect(ajv.errors).toBeNull();
});

test('every schema is that of a file', () => {
  const schemas = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.schema.json'),
  );
  const named = files.map((file) => join(dirname(file), read(file).$schema));
  expect([...new Set(named)].sort()).toEqual(schemas.sort());
});
