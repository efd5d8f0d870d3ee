// Writes schemas/*.json, which the comments `# yaml-language-server: $schema=…` in YAML files name for editors. `npm run build`
// calls it, and editor-schemas.test.ts checks the comments.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editorSchemas } from '@bowyer/runner';

rmSync('schemas', { recursive: true, force: true });
mkdirSync('schemas');
for (const [name, schema] of Object.entries(editorSchemas()))
  writeFileSync(join('schemas', `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
