import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors } from '@bowyer/checkpoints';
import { caseOf } from '../cases.js';
import type { CaseResult, Suite } from '../suite.js';

/** A file that is a literal in a test of the library, and whether it must be refused. */
interface Written {
  name: string;
  bytes: Buffer;
  isRefused: boolean;
  shape: number[] | null;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0', '"': '"', '\\': '\\' };

function literalBytes(text: string): Buffer {
  const read = text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|(.))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? ESCAPES[letter] : String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(read, 'latin1');
}

/** Finds the literals in the library's tests; the code after each decides what is expected. */
function literalsOf(source: string): Written[] {
  return source.split(/(?=\n {4}fn )/).flatMap((body) => {
    const name = /fn (\w+)/.exec(body)?.[1];
    const parts = body.split('let serialized = b"').slice(1);
    return parts.map((part, i) => {
      const [, literal] = /^((?:[^"\\]|\\.)*)"/s.exec(part)!;
      const shape = /assert_eq!\(tensor\.shape\(\), vec!\[([\d, ]*)\]\)/.exec(part)?.[1];
      return {
        name: parts.length > 1 ? `${name} ${i + 1}` : name!,
        bytes: literalBytes(literal),
        isRefused: part.includes('Err(SafeTensorError::'),
        shape: shape === undefined ? null : shape.split(',').map(Number),
      };
    });
  });
}

const suite: Suite = {
  title: 'safetensors',
  against: '`@bowyer/checkpoints`',
  sources: [
    {
      github: 'huggingface/safetensors',
      commit: '24b0b2857fef49be734b9ab72ce97c09bb25f5b9',
      version: '0.8.0-dev.0',
      paths: ['safetensors/src/tensor.rs'],
    },
  ],
  inCheck: true,
  notes:
    "The files that the Rust library's tests have as literals are read: what the library refuses must be refused, the rest must have the tensors that the test names. " +
    'Tests of the library’s own writer and of slices have no counterpart here.',
  async run({ folders: [folder], work }) {
    const cases: CaseResult[] = [];
    for (const { name, bytes, isRefused, shape } of literalsOf(
      readFileSync(join(folder, 'safetensors/src/tensor.rs'), 'utf8'),
    )) {
      const path = join(work, `${name.replaceAll(' ', '-')}.safetensors`);
      writeFileSync(path, bytes);
      const found = await readSafetensors(path).catch((error: Error) => error);
      const refused = found instanceof Error;
      const isWrong = refused !== isRefused || (!refused && shape !== null && found.test.shape.join() !== shape.join());
      const read = refused ? found.message : `read as ${JSON.stringify(Object.keys(found))}`;
      cases.push(caseOf(name, isWrong ? read : null));
    }
    return cases;
  },
};

export default suite;
