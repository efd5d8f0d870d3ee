// Runs just-bash, a shell with a file system in memory and without network, in a thread. The main thread terminates this thread
// if it does not answer in time.
import { parentPort } from 'node:worker_threads';
import { Bash, InMemoryFs } from 'just-bash';

let bash = null;

const requests = {
  begin: ({ files, folders, environment, workdir, fileBytes }) => {
    const fs = new InMemoryFs(files);
    for (const folder of folders) fs.mkdirSync(folder, { recursive: true });
    const executionLimits = {
      maxFileSystemBytes: fileBytes,
      maxStringLength: 16 * 2 ** 20,
      maxOutputSize: 4 * 2 ** 20,
    };
    bash = new Bash({ fs, env: environment, cwd: workdir, executionLimits });
    return null;
  },
  run: async ({ command, workdir, environment, milliseconds }) => {
    const signal = AbortSignal.timeout(milliseconds);
    const { stdout, stderr, exitCode, env } = await bash.exec(command, { cwd: workdir, env: environment, signal });
    // After a command that exceeded a limit, just-bash returns the variables from before the command, so that PWD is not the
    // current working folder.
    const isEnded = signal.aborted || exitCode === 124 || exitCode === 126;
    const folder = isEnded ? workdir : (env.PWD ?? workdir);
    return { stdout, stderr, exitCode, workdir: folder, isLate: signal.aborted };
  },
  place: async ({ remove, files }) => {
    for (const path of remove) await bash.fs.rm(path, { recursive: true, force: true });
    for (const [path, content] of Object.entries(files)) {
      await bash.fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
      await bash.fs.writeFile(path, content);
    }
    return null;
  },
  read: async ({ path }) => ((await bash.fs.exists(path)) ? await bash.fs.readFile(path) : null),
};

parentPort.on('message', async ({ request, ...given }) => {
  try {
    parentPort.postMessage({ value: await requests[request](given) });
  } catch (error) {
    parentPort.postMessage({ fault: String(error?.message ?? error).slice(0, 500) });
  }
});
parentPort.postMessage({ value: 'ready' });
