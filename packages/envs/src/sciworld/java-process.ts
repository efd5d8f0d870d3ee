// Starts ScienceWorld's simulator as a Java process with a Py4J gateway, whose port is the first line of its output. The process
// ends when its standard input is closed, so that it cannot outlive this process.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

class JavaProcessError extends Error {
  override readonly name = 'JavaProcessError';
}

const KEPT_COMPLAINT = 2_000;

export class JavaProcess {
  private constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, Readable>,
    readonly port: number,
  ) {}

  /**
   * Starts the simulator. @param classPath relative paths are resolved in this process's working folder
   * @throws {JavaProcessError} if the process does not start or prints no port in time
   */
  static async start(classPath: string, timeoutMs: number): Promise<JavaProcess> {
    const parts = classPath.split(delimiter).map((part) => resolve(part));
    const lacking = parts.find((part) => !existsSync(part));
    if (lacking !== undefined) {
      throw new JavaProcessError(`env.jar: there is no file '${lacking}'\n  give scienceworld.jar of ScienceWorld`);
    }
    // The simulator reads its data files from the folder of its jar, which must therefore be the working folder.
    const child = spawn('java', ['-cp', parts.join(delimiter), 'py4j.GatewayServer', '--die-on-broken-pipe', '0'], {
      cwd: dirname(parts[0]),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    try {
      return new JavaProcess(child, await portOf(child, timeoutMs));
    } catch (cause) {
      child.kill('SIGKILL');
      throw new JavaProcessError(`java -cp ${classPath} did not start: ${(cause as Error).message}`, { cause });
    }
  }

  stop(): void {
    this.child.stdin.destroy();
    this.child.kill();
  }
}

async function portOf(child: ChildProcessByStdio<Writable, Readable, Readable>, timeoutMs: number): Promise<number> {
  let [resolvePort, reject]: [(port: number) => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<number>((yes, no) => ([resolvePort, reject] = [yes, no]));
  const timer = setTimeout(() => reject(new Error(`no port in ${timeoutMs} ms`)), timeoutMs);
  child.once('error', (error) => reject(new Error(`${error.message}; Java 8 or newer must be installed`)));
  // The process has no id if it could not be started. Its pipes may then be missing, too.
  if (child.pid === undefined) return promise.finally(() => clearTimeout(timer));
  let complaint = '';
  child.stderr.on('data', (piece: Buffer) => (complaint = (complaint + piece.toString()).slice(-KEPT_COMPLAINT)));
  child.stdin.on('error', () => {}); // the event `exit` reports the error
  child.once('exit', (code) => reject(new Error(`it ended with code ${code}: ${complaint.trim()}`)));
  // The output is read even after the port is known, since a full pipe would block the simulator.
  createInterface(child.stdout).once('line', (line) => {
    if (/^\d+$/.test(line.trim())) resolvePort(Number(line));
    else reject(new Error(`it printed '${line.slice(0, 80)}' instead of a port`));
  });
  return promise.finally(() => clearTimeout(timer));
}
