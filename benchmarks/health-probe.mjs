// Requests, in a worker thread, a server's health every 20 ms on one connection, so that the latencies do not include the work of
// the thread that creates the load. It posts the latencies in milliseconds on request.
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
    // After an error the server has closed the connection, which the next request opens again.
    get(workerData.url, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', resolve);
  });

for (;;) {
  const began = performance.now();
  await ask();
  latencies.push(performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
