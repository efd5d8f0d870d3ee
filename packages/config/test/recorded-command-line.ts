// Runs a recorded command line of the real Hydra through runCommandLine and compares exit codes, printed configs and job lists,
// completion answers, tables, and the files that were written. Help texts, versions and error texts differ and are not compared.
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommandLine, type JobContext } from '../src/index.js';
import { namesIn, type RecordedCase } from './recorded-case.js';

export interface RecordedRun {
  exit_code: number;
  stdout: string;
  stderr: string | null;
  files?: Record<string, string | null>;
}

/** Makes the program of the cases: it prints its config, then fails if the case says so. */
function programJob(kind: string | undefined): (context: JobContext) => void {
  return ({ composition, stdout }) => {
    stdout.write(composition.yaml);
    if (kind === 'fail' || (kind === 'fail-on-seed-2' && composition.config.seed === 2))
      throw new Error('job failed on purpose');
  };
}

export async function commandLineAnswer(test: RecordedCase, root: string): Promise<RecordedRun> {
  for (const [name, text] of Object.entries(test.tree)) {
    const target = path.join(root, name);
    mkdirSync(name.endsWith('/') ? target : path.dirname(target), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(target, text);
  }
  const before = new Set(filesIn(root));
  let stdout = '';
  let stderr = '';
  const exitCode = await runCommandLine({
    argv: test.argv!,
    programName: 'app.py',
    configDir: test.config_dir ?? '.',
    configName: test.config_name,
    job: programJob(test.job),
    env: test.env ?? {},
    cwd: root,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  const made = filesIn(root).filter((file) => !before.has(file));
  const files = Object.fromEntries(
    made.map((file) => [maskDate(file), readFileSync(path.join(root, file), 'utf8').replaceAll(root, '<ROOT>')]),
  );
  return {
    exit_code: exitCode,
    stdout: maskTime(stdout.replaceAll(root, '<ROOT>')),
    stderr: stderr.replaceAll(root, '<ROOT>'),
    files,
  };
}

function filesIn(folder: string, prefix = ''): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    return statSync(file).isDirectory() ? filesIn(file, `${prefix}${name}/`) : [`${prefix}${name}`];
  });
}

const maskTime = (text: string) => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}/g, '<TIME>');
const maskDate = (text: string) => text.replace(/\d{4}-\d\d-\d\d\/\d\d-\d\d-\d\d/g, '<DATE>/<CLOCK>');
const squeezed = (text: string) =>
  text
    .replace(/ +/g, ' ')
    .replace(/-{2,}/g, '--')
    .replace(/[ \t]+$/gm, '');

/** Checks whether the printed texts are our own and differ from Hydra's. */
const isOurs = (argv: readonly string[]) =>
  argv.some((word) => ['--help', '-h', '--hydra-help', '--version', 'plugins', 'all'].includes(word));

export function commandLineProblems(ours: RecordedRun, theirs: RecordedRun, argv: readonly string[]): string[] {
  const found: string[] = [];
  if (ours.exit_code !== theirs.exit_code)
    found.push(`exit code ${ours.exit_code} instead of ${theirs.exit_code}\n${ours.stderr}`);
  if (!isOurs(argv) && squeezed(ours.stdout) !== squeezed(theirs.stdout))
    found.push(`stdout: ${JSON.stringify(ours.stdout)}\n--- theirs\n${JSON.stringify(theirs.stdout)}`);
  if (theirs.stderr === '' && ours.stderr !== '') found.push(`stderr: ${ours.stderr}`);
  for (const name of namesIn((theirs.stderr ?? '').replace(/\nSet the environment.*/s, '')))
    if (!ours.stderr!.includes(name)) found.push(`stderr lacks '${name}':\n${ours.stderr}`);
  if (!theirs.files) return found;
  const [mine, expected] = [Object.keys(ours.files!).sort(), Object.keys(theirs.files).sort()];
  if (JSON.stringify(mine) !== JSON.stringify(expected))
    found.push(`files: ${mine.join(' ')}\n--- theirs\n${expected.join(' ')}`);
  for (const [file, text] of Object.entries(theirs.files))
    if (text !== null && ours.files![file] !== text) found.push(`${file}: ${ours.files![file]}`);
  return found;
}
