// Renders plots as PNG in a worker thread: compiling the renderer and drawing take up to a second, for which training must not
// wait. The renderer is resvg as WebAssembly. It contains no fonts, so that the font is loaded from another package.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Picture } from '@bowyer/wandb';

/** The number of pixels for each unit of the SVG. With 2, the image is sharp on high-density screens. */
const ZOOM = 2;

/** The program of the worker thread. It is a string, since a worker cannot load the TypeScript sources with which tests run. */
const WORKER = `
const { readFileSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { renderer, wasm, font, zoom } = workerData;
const { initWasm, Resvg } = require(renderer);
const ready = initWasm(readFileSync(wasm));
const fontBuffers = [readFileSync(font)];
parentPort.on('message', async (svg) => {
  await ready;
  const drawing = new Resvg(svg, { background: '#ffffff', fitTo: { mode: 'zoom', value: zoom }, font: { fontBuffers } });
  const image = drawing.render();
  parentPort.postMessage({ png: image.asPng(), width: image.width, height: image.height });
  image.free();
  drawing.free();
});`;

/** Renders one SVG at a time. The first SVG starts the thread, which does not keep the process alive while it is idle. */
export class Drawing {
  #worker: Worker | null = null;
  #pending: { resolve: (picture: Picture) => void; reject: (error: Error) => void } | null = null;

  /** Throws if the renderer fails; the next call then starts a new thread. */
  draw(svg: string): Promise<Picture> {
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      worker.ref();
      worker.postMessage(svg);
    });
  }

  #start(): Worker {
    const worker = startWorker();
    const fail = (error: Error) => {
      if (this.#worker !== worker) return; // the error was handled already: an `exit` event follows an `error` event
      this.#worker = null;
      this.#pending?.reject(error);
    };
    worker.on('message', (picture: Picture) => {
      worker.unref();
      this.#pending?.resolve(picture);
      this.#pending = null;
    });
    worker.on('error', fail);
    worker.on('exit', (code) => fail(new Error(`the renderer ended with exit code ${code}`)));
    return worker;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }
}

function startWorker(): Worker {
  const { resolve } = createRequire(import.meta.url);
  const workerData = {
    renderer: resolve('@resvg/resvg-wasm'),
    wasm: resolve('@resvg/resvg-wasm/index_bg.wasm'),
    font: resolve('@fontsource/pt-sans/files/pt-sans-latin-400-normal.woff2'),
    zoom: ZOOM,
  };
  return new Worker(WORKER, { eval: true, workerData, execArgv: [] });
}
