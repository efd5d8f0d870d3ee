// The programs of a README: its TypeScript blocks that print something, run as a reader would run them.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface ReadmeProgram {
  /** 1 for the first program of the file. */
  number: number;
  source: string;
  /** @returns what it prints. @throws where it ends with an error */
  run(): Promise<string>;
}

/** @param repository packages are found from there, and their sources are used */
export function readmePrograms(readme: string, repository: string): ReadmeProgram[] {
  const blocks = [...readFileSync(readme, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, source]) => source!);
  const programs = blocks.filter((source) => source.includes('console.log('));
  return programs.map((source, i) => ({ number: i + 1, source, run: () => runProgram(source, repository) }));
}

async function runProgram(source: string, repository: string): Promise<string> {
  const folder = mkdtempSync(join(repository, 'node_modules', '.readme-'));
  try {
    const file = join(folder, 'program.mts');
    writeFileSync(file, source);
    const argv = ['--conditions=source', '--import', 'tsx', file];
    const env = { ...process.env, FORCE_COLOR: '0' }; // Nx requests colours
    return (await promisify(execFile)(process.execPath, argv, { cwd: folder, env })).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
