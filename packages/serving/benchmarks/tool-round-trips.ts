// Calls of tools: are the tokens of an answer the same when it is parsed and rendered again? Over random dialogues with each template
// whose format of calls is known: the forms of packages/serving/test/call-templates, or published templates. Nothing is timed.
//
//   node --conditions=source --import tsx packages/serving/benchmarks/tool-round-trips.ts [DIALOGUES] [FOLDER of *.jinja …]
//
// TOKENIZER=tokenizer.json: another vocabulary than that of packages/text/test/tokenizer-fixtures/gpt2.json. The marks of the formats
// are made its tokens.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { roundTrips, type RoundTrips } from '../test/round-trips.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const own = here('../test/call-templates');
const [dialogues = '10000', ...folders] = process.argv.slice(2);

function definition(): Record<string, unknown> {
  const path = process.env.TOKENIZER ?? here('../../text/test/tokenizer-fixtures/gpt2.json');
  const json = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  return (json.definition ?? json) as Record<string, unknown>;
}

const files = (folders.length > 0 ? folders : [own]).flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.jinja'))
    .map((file) => join(folder, file)),
);
const vocabulary = definition();
const unknown: string[] = [];
let worst = 0;
console.log('| template | format | dialogues | same ids | same calls |\n|---|---|---|---|---|');
for (const file of files) {
  const found = roundTrips(readFileSync(file, 'utf8'), vocabulary, { dialogues: Number(dialogues), seed: 1 });
  if (found === null) unknown.push(basename(file));
  else report(basename(file), found);
}
console.log(`\nno known format of calls: ${unknown.length === 0 ? 'none' : unknown.join(', ')}`);
if (worst > 0) process.exitCode = 1;

function report(file: string, { format, sameIds, sameCalls, difference }: RoundTrips): void {
  console.log(`| ${file} | ${format} | ${dialogues} | ${sameIds} | ${sameCalls} |`);
  worst = Math.max(worst, Number(dialogues) - sameIds);
  if (difference === null) return;
  console.log(`first difference:\n${JSON.stringify(difference.answer)}\n${JSON.stringify(difference.again)}`);
}
