// Runs the programs of a README, which are its TypeScript blocks that print something.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sourceArguments } from './source-arguments.js';

export interface ReadmeProgram {
  /** The number of the program in the file, from 1. */
  number: number;
  source: string;
  /**
   * Runs the program.
   *
   * @returns what it prints. @throws where it ends with an error
   */
  run(): Promise<string>;
}

/**
 * Lists the programs of a README.
 *
 * @param repository folder from which packages are resolved: to their builds, or to their sources if those are newer
 */
export function readmePrograms(readme: string, repository: string): ReadmeProgram[] {
  const blocks = [...readFileSync(readme, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, source]) => source!);
  const programs = blocks.filter((source) => source.includes('console.log('));
  return programs.map((source, i) => ({ number: i + 1, source, run: () => runProgram(source, repository) }));
}

async function runProgram(source: string, repository: string): Promise<string> {
  const folder = mkdtempSync(join(repository, 'node_modules', '.readme-'));
  try {
    const file = join(folder, 'program.mjs');
    const { transformSync } = await import('@swc/core');
    const { code } = transformSync(source, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } });
    writeFileSync(file, code);
    const env = { ...process.env, FORCE_COLOR: '0' }; // Nx sets it to force colours
    return (await promisify(execFile)(process.execPath, [...sourceArguments(), file], { cwd: folder, env })).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
