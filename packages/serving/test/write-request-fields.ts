// Writes the table of a request's fields into docs/models/chat.md. Run it after a change of known-fields.ts:
//   node --conditions=source --import tsx packages/serving/test/write-request-fields.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { fieldTable } from '../src/protocols/openai/field-table.js';

const page = 'docs/models/chat.md';
const text = readFileSync(page, 'utf8');
writeFileSync(
  page,
  text.replace(/\| where \| what happens \| fields \|\n(\|.*\n)*/, () => `${fieldTable()}\n`),
);
