// Writes schemas/*.json, which the comments `# yaml-language-server: $schema=…` of the YAML files name for editors. `npm run build`
// does it; editor-schemas.test.ts holds the comments.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editorSchemas } from '@bowyer/runner';

rmSync('schemas', { recursive: true, force: true });
mkdirSync('schemas');
for (const [name, schema] of Object.entries(editorSchemas()))
  writeFileSync(join('schemas', `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
