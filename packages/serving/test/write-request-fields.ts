// Writes the tables of a request's fields into docs/models/request-fields.md. Run it after a change of a known-fields.ts:
//   node --conditions=source --import tsx packages/serving/test/write-request-fields.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { fieldTables } from '../src/protocols/protocols.js';

const page = 'docs/models/request-fields.md';
const tables = fieldTables();
const text = readFileSync(page, 'utf8');
writeFileSync(
  page,
  text.replace(/\| where \| what happens \| fields \|\n(\|.*\n)*/g, () => `${tables.shift()}\n`),
);
