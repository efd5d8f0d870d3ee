// A worker thread that asks a server for its health every 20 ms on one connection, so that the answers' latencies do not contain the
// work of the thread that makes the load. Posts the latencies in milliseconds when it is asked for them.
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let latencies = [];
parentPort.on('message', () => {
  parentPort.postMessage(latencies);
  latencies = [];
});

const ask = () =>
  new Promise((resolve) => {
    // An error: the server has closed the connection, which the next request opens again.
    get(workerData.url, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', resolve);
  });

for (;;) {
  const began = performance.now();
  await ask();
  latencies.push(performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
