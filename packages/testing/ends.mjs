// Ends, as a Jest reporter, a run whose tests left something open, and reports it; Jest would wait forever. Failed tests often do
// not reach the line that closes their server.
import { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';

export default class Ends {
  #patience;

  /** @param afterMs time for which the event loop may run after the last test */
  constructor(_globalConfig, { afterMs = 30_000 } = {}) {
    this.#patience = afterMs;
  }

  onRunComplete() {
    setTimeout(() => {
      // The handles that keep the event loop running. process.getActiveResourcesInfo has no addresses.
      const handles = process
        ._getActiveHandles()
        .filter((handle) => handle !== process.stdout && handle !== process.stderr);
      process.stderr.write(`Tests left open, which fails their run: ${handles.map(described).sort().join(', ')}\n`);
      // A remaining child process would keep the pipe to nx open.
      for (const handle of handles) if (handle instanceof ChildProcess) handle.kill('SIGKILL');
      process.exit(1);
    }, this.#patience).unref();
  }
}

function described(handle) {
  if (handle instanceof Server) return `a server at ${JSON.stringify(handle.address())}`;
  if (handle instanceof ChildProcess) return `the process ${handle.spawnargs.join(' ')}`;
  return handle.constructor.name;
}
