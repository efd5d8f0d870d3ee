// Hides AVX-512 from the programs of a benchmark, so that one machine measures both instruction sets. ONNX Runtime has no setting
// for it, so the programs load a copy of its library that finds AVX-512 turned off by the operating system.
import { readFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const chosen = process.env.INSTRUCTIONS ?? 'all';
if (!['all', 'avx2'].includes(chosen)) throw new Error(`INSTRUCTIONS=${chosen}: 'avx2' or 'all'`);

/** Whether programs see AVX2 alone (the variable INSTRUCTIONS is `avx2`). */
export const isAvx2Alone = chosen === 'avx2';

/** XGETBV, which reads the registers that the operating system saves; the code of `and eax, 15; add eax, edx` ends alike. */
const XGETBV = Buffer.from([0x0f, 0x01, 0xd0]);
const AND_EAX = 0x83e0;
/** `mov al, 7; nop`: the x87, SSE and AVX registers are saved, those of AVX-512 are not. */
const ONLY_AVX = Buffer.from([0xb0, 0x07, 0x90]);

/** Returns the environment variables of the measured programs: those of this process, and those that hide AVX-512. */
export function programVariables(): NodeJS.ProcessEnv {
  if (!isAvx2Alone) return process.env;
  return {
    ...process.env,
    LD_LIBRARY_PATH: libraryWithoutAvx512(),
    ATEN_CPU_CAPABILITY: 'avx2',
    ONEDNN_MAX_CPU_ISA: 'AVX2',
    MKL_ENABLE_INSTRUCTIONS: 'AVX2',
  };
}

let folder: string | undefined;

/** Writes a copy of ONNX Runtime's library (Linux, x64) whose checks of the CPU end without AVX-512, and returns its folder. */
function libraryWithoutAvx512(): string {
  if (folder !== undefined) return folder;
  const binding = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
  const library = readFileSync(join(dirname(binding), 'bin/napi-v6/linux/x64/libonnxruntime.so.1'));
  for (let at = library.indexOf(XGETBV); at >= 0; at = library.indexOf(XGETBV, at + XGETBV.length))
    if (library.readUInt16BE(at - 2) !== AND_EAX) ONLY_AVX.copy(library, at);
  folder = mkdtempSync(join(tmpdir(), 'onnxruntime-avx2-'));
  writeFileSync(join(folder, 'libonnxruntime.so.1'), library);
  return folder;
}
