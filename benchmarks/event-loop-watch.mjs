// Measures a server into which it is preloaded (`node --import`): the CPU time of its event loop between two ticks of a timer,
// which is how long other clients wait on an idle machine, and the memory of the process. It writes four lines a second to
// WATCH_FILE.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** CPU time of the main thread, in ms (Linux). */
const cpuMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const file = process.env.WATCH_FILE;
if (isMainThread && file !== undefined) {
  let [at, longestMs, written] = [cpuMs(), 0, 0];
  setInterval(() => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - at);
    at = now;
    if (performance.now() - written < 250) return;
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ longestMs, rss, heapUsed, arrayBuffers })}\n`);
    written = performance.now();
    longestMs = 0;
    at = cpuMs();
  }, 4).unref();
}
