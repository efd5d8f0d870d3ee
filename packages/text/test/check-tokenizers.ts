// Compares our tokenizers with the Rust library's: `node --conditions=source --import tsx packages/text/test/check-tokenizers.ts
// FOLDER`, where `packages/text/test/record-tokenizers.py fuzz` wrote FOLDER. Prints differences by tokenizer; fails if there are any.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTokenizer } from '../src/index.js';

type Case = [text: string, ids: number[], special: number[], decoded: string, decodedPlain: string];

interface Recording {
  definition: Record<string, unknown>;
  cases: Case[];
}

const scratch = mkdtempSync(join(tmpdir(), 'check-tokenizers-'));
const [folder, shown = '2'] = process.argv.slice(2);
let differences = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const { definition, cases } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording;
  writeFileSync(join(scratch, 'tokenizer.json'), JSON.stringify(definition));
  const tokenizer = await loadTokenizer(scratch);
  const wrong = cases.filter((each) => {
    const [, , special] = each;
    return (
      JSON.stringify(each.slice(1)) !==
      JSON.stringify([
        tokenizer.encode(each[0]),
        tokenizer.encodeWithSpecials(each[0]),
        tokenizer.decode(special, { keepSpecialTokens: true }),
        tokenizer.decode(special),
      ])
    );
  });
  differences += wrong.length;
  console.log(`${file}: ${wrong.length} of ${cases.length} differ`);
  for (const [text, ids, special, decoded] of wrong.slice(0, Number(shown)))
    console.log(
      JSON.stringify({ text, theirs: ids, ours: tokenizer.encode(text) }),
      JSON.stringify([decoded, tokenizer.decode(special, { keepSpecialTokens: true })]),
    );
}
rmSync(scratch, { recursive: true });
process.exitCode = differences > 0 ? 1 : 0;
