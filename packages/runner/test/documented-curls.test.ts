// Tests every `curl` command of the documentation on a server that the command before it starts.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder, when } from '@bowyer/testing';
import { repository } from './command-line.js';
import { curlsOfPage, shellWords } from './documented-commands.js';
import { saveTinyModel } from './tiny-model.js';

const pages = ['README.md', 'docs', 'packages', 'examples', 'benchmarks'].flatMap((root) =>
  root.endsWith('.md')
    ? [root]
    : readdirSync(join(repository, root), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.md') && !/(^|\/)(node_modules|dist|api)\//.test(file))
        .map((file) => join(root, file)),
);
const curls = pages.flatMap((page) =>
  curlsOfPage(readFileSync(join(repository, page), 'utf8')).map((shown) => ({ page, ...shown })),
);

const folder = newFolder();
const servers = new Map<string, { child: ChildProcess; address: string }>();
beforeAll(async () => {
  await saveTinyModel(join(folder, 'FOLDER'), wordLevelTokenizer(['Hello you\n']), 256);
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  writeFileSync(join(folder, 'FOLDER/chat_template.jinja'), '{% for m in messages %}{{ m.content }}\n{% endfor %}');
  for (const dir of ['runs/support', 'adapters/french-7', 'adapters/french-8']) {
    const lora = { r: 2, alpha: 4, dropout: 0, targetModules: null, seed: 1 };
    await (await LanguageModel.load({ device, dir: join(folder, 'FOLDER'), lora })).save(join(folder, dir));
  }
});
afterAll(async () => {
  for (const { child } of servers.values()) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
});

/** Starts a server with a command of the documentation, on a free port and with a small model if the command names one. */
async function serverOf(command: string): Promise<string> {
  const known = servers.get(command);
  if (known) return known.address;
  const words = shellWords(command.replace(/^npx bowyer /, '')).map((word) =>
    word
      .replace(/^task\.port=\d+$/, 'task.port=0')
      .replace(/^task\.model=FOLDER$/, `task.model=${join(folder, 'FOLDER')}`)
      .replace(
        /^(task\.adapters=\{\w+: |task\.runtime_adapters=\[)([\w/]+)/,
        (_, key: string, path: string) => key + join(folder, path),
      ),
  );
  const args = [...words, `save_path=${join(folder, `run-${servers.size}`)}`];
  const child = spawn(process.execPath, ['packages/runner/bin/bowyer.js', ...args], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString();
      const url = /http:\/\/(\S+?:\d+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${said}`)));
  });
  servers.set(command, { child, address });
  return address;
}

test('pages show how a server is asked', () => {
  expect(curls.map(({ page }) => page)).toContain('docs/models/serving.md');
  expect(curls.filter(({ command }) => command === null)).toEqual([]);
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;
when(hasCurl, 'no curl').describe('curl', () => {
  test.each(curls)(
    '$page: $line',
    async ({ line, command }) => {
      const port = /\btask\.port=(\d+)/.exec(command!)![1];
      const address = await serverOf(command!);
      const asked = line.replaceAll(`localhost:${port}`, address).replaceAll(`127.0.0.1:${port}`, address);
      expect(asked).toContain(address);
      const { stdout } = await promisify(execFile)('sh', ['-c', `${asked} -s -w '\\n%{http_code}'`]);
      expect(stdout).toMatch(/\n200$/);
    },
    180_000,
  );
});
