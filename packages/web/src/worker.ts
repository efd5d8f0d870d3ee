// Runs the whole program in the worker of a page, with files in memory that are saved in the browser's storage.
import { ask, files, mountBlob, process, SavedFiles, writeFiles, writeTo } from '@bowyer/page';
import type { PageRequest, PageResponse } from './protocol.js';

const scope = self as typeof self & { postMessage(message: unknown): void };
const post = (response: PageResponse): void => scope.postMessage(response);
writeTo((text, channel) => post({ kind: 'text', text, channel }));

/** The shipped configs and the environments' data, which become files. */
const shipped = (await (await fetch(new URL('./files.json', import.meta.url))).json()) as Record<string, string>;
writeFiles(shipped);
for (const folder of ['/home', '/tmp']) files.mkdirSync(folder, { recursive: true });
const saved = await SavedFiles.open();

// Imported only now, since these modules read the files above.
const [{ runCommandLine }, { bowyer }, { registerKernels }, { kernels }] = await Promise.all([
  import('@bowyer/config'),
  import('@bowyer/runner/program'),
  import('@bowyer/graph'),
  import('bowyer:kernels'),
]);
registerKernels(kernels);

/** Saves the files. If the browser refuses, the command continues and a message is printed. */
async function save(): Promise<void> {
  try {
    await saved?.save();
  } catch (error) {
    post({
      kind: 'text',
      text: `the files are not kept in the browser: ${(error as Error).message}\n`,
      channel: 'stderr',
    });
  }
}

/** Runs a command. Files are saved during it and after its end. */
async function run(argv: readonly string[]): Promise<number> {
  const timer = setInterval(() => void save(), 5_000);
  try {
    return await runCommandLine(bowyer(argv));
  } finally {
    clearInterval(timer);
    await save();
  }
}

function list(folder: string): Record<string, number> {
  const paths = files.existsSync(folder) ? (files.readdirSync(folder, { recursive: true }) as string[]) : [];
  const stats = paths.map((path) => [`${folder}/${path}`, files.statSync(`${folder}/${path}`)] as const);
  return Object.fromEntries(stats.filter(([, stat]) => stat.isFile()).map(([path, { size }]) => [path, Number(size)]));
}

/** Passes a request of the page to a server of the program, and the answer back. */
function pass({ ask: request, port }: Extract<PageRequest, { kind: 'ask' }>): void {
  try {
    const leave = ask(request, (part) => port.postMessage(part));
    port.onmessage = leave;
  } catch (error) {
    port.postMessage((error as Error).message);
  }
}

async function answer(request: Exclude<PageRequest, { kind: 'stop' | 'ask' }>): Promise<unknown> {
  switch (request.kind) {
    case 'run':
      return run(request.argv);
    case 'read':
      return Uint8Array.from((files.readFileSync(request.path) as Uint8Array).subarray(-request.last));
    case 'write':
      writeFiles({ [request.path]: request.data });
      await save();
      return null;
    case 'mount':
      if (request.path.startsWith('/work/'))
        throw new Error(`'${request.path}': files below /work are kept, and a blob is not; mount it in another folder`);
      mountBlob(request.path, request.blob);
      return null;
    case 'list':
      return list(request.folder);
  }
}

self.addEventListener('message', ({ data }: MessageEvent<PageRequest>) => {
  if (data.kind === 'stop') {
    process.emit('SIGINT', 'SIGINT');
    return;
  }
  if (data.kind === 'ask') return pass(data);
  answer(data).then(
    (result) => post({ kind: 'result', id: data.id, result }),
    ({ message, stack }: Error) => post({ kind: 'error', id: data.id, message, stack }),
  );
});
post({ kind: 'ready' });
