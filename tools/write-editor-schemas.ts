// Writes schemas/*.json and the line that names them into every shipped YAML file. Run it after a change of a config schema:
//   node --conditions=source --import tsx tools/write-editor-schemas.ts
import { readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { editorSchemas, schemaLine } from '@bowyer/runner';

rmSync('schemas', { recursive: true, force: true });
mkdirSync('schemas');
for (const [name, schema] of Object.entries(editorSchemas())) {
  writeFileSync(join('schemas', `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
for (const folder of ['configs', 'experiments']) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.yaml'),
  )) {
    const path = join(folder, name);
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('# yaml-language-server:'));
    // A package header counts only in the leading lines, before any other comment.
    const headers = lines.findIndex((line) => !line.startsWith('# @'));
    lines.splice(headers, 0, schemaLine(path));
    writeFileSync(path, lines.join('\n'));
  }
}
