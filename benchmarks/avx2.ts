// Runs a benchmark, with all programs that it starts, as on a CPU that has AVX2 and lacks AVX-512 (Linux, x64), so that one machine
// measures both. ONNX Runtime has no setting for it, so the programs load a copy of its library that finds AVX-512 turned off by the
// operating system.
//   PYTHON=… node --conditions=source --import tsx benchmarks/avx2.ts FILE [ARGUMENTS of the benchmark]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** XGETBV, which reads the registers that the operating system saves; the code of `and eax, 15; add eax, edx` ends alike. */
const XGETBV = Buffer.from([0x0f, 0x01, 0xd0]);
const AND_EAX = 0x83e0;
/** `mov al, 7; nop`: the x87, SSE and AVX registers are saved, those of AVX-512 are not. */
const ONLY_AVX = Buffer.from([0xb0, 0x07, 0x90]);

const [file, ...given] = process.argv.slice(2);
if (file === undefined) throw new Error('name a benchmark: avx2.ts without-gpu.ts [ARGUMENTS]');
const installed = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
const library = readFileSync(join(installed, 'bin/napi-v6/linux/x64/libonnxruntime.so.1'));
for (let at = library.indexOf(XGETBV); at >= 0; at = library.indexOf(XGETBV, at + XGETBV.length))
  if (library.readUInt16BE(at - 2) !== AND_EAX) ONLY_AVX.copy(library, at);
const folder = mkdtempSync(join(tmpdir(), 'onnxruntime-avx2-'));
try {
  writeFileSync(join(folder, 'libonnxruntime.so.1'), library);
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, file), ...given], {
    stdio: 'inherit',
    env: {
      ...process.env,
      AVX2_ALONE: '1', // benchmarks that store results name the instructions by it
      LD_LIBRARY_PATH: folder,
      ATEN_CPU_CAPABILITY: 'avx2',
      ONEDNN_MAX_CPU_ISA: 'AVX2',
      MKL_ENABLE_INSTRUCTIONS: 'AVX2',
    },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
