// Serves the built page to a headless Chromium.
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { newFolder, serveFolder } from '@bowyer/testing';

const dist = join(import.meta.dirname, '../dist');
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const HTML = `<!doctype html><title>run</title><script type="importmap">{"imports":{"@bowyer/web":"/index.js"}}</script>`;

export interface PageBundle {
  text: string;
  /** The scripts that it imports, by their addresses beside it. Threads of ONNX Runtime start from the one that has it alone. */
  chunks: Record<string, string>;
  /** The modules in it. */
  inputs: string[];
  /** The modules that are imported from outside. */
  imports: string[];
}

/** Bundles a script with the browser entries of our packages. A module of Node is an error: pages have none. */
export async function bundlePage(script: string): Promise<PageBundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname },
    bundle: true,
    splitting: true,
    outdir: '/page',
    chunkNames: 'chunk-[hash]',
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2023',
    logLevel: 'silent',
    plugins: [
      {
        name: 'built-entries',
        setup: ({ onResolve }) => {
          // A test of a package imports its front door from the sources.
          onResolve({ filter: /^\.\.\/src\/index\.js$/ }, ({ resolveDir }) => ({
            path: join(resolveDir, '../dist/browser/index.js'),
          }));
        },
      },
    ],
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const isEntry = ({ path }: { path: string }): boolean => path === '/page/stdin.js';
  return {
    text: outputFiles.find(isEntry)!.text,
    chunks: Object.fromEntries(outputFiles.filter((file) => !isEntry(file)).map(({ path, text }) => [path, text])),
    inputs: Object.keys(metafile.inputs),
    imports: imported.filter(({ external }) => external).map(({ path }) => path),
  };
}

/**
 * Serves `dist`, its folder `page` as /bowyer too, and an empty page.
 *
 * @param isolated whether the page is isolated from other origins, so that it may have threads
 * @param scripts further scripts of the page by their addresses
 */
export const servePage = (
  isolated: boolean,
  scripts: Readonly<Record<string, string>> = {},
): Promise<{ server: Server; address: string }> =>
  serveFolder(dist, { isolated, cached: true, pages: { '/': HTML, ...scripts }, aliases: { '/bowyer/': '/page/' } });

/** The GPU of a browser in software: SwiftShader, which is part of Chromium. */
export const SOFTWARE_GPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

/** Opens a browser that keeps its storage while it is open. @param gpu arguments that choose a GPU; none: WebGPU has no adapter */
export const openBrowser = (gpu: readonly string[] = ['--disable-gpu']): Promise<BrowserContext> =>
  chromium.launchPersistentContext(newFolder(), {
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', ...gpu, '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });

export interface PageCommand {
  /** The beginnings of the paths that are downloaded. */
  download: readonly string[];
  argv: readonly string[];
  /** The run is stopped when a line has this text. */
  stopAt?: string;
  /** Files that are written before, by path, in base64. */
  upload?: Readonly<Record<string, string>>;
}

export interface PageRun {
  code: number;
  lines: string[];
  /** The downloaded files below /work, by their paths there, in base64. */
  files: Record<string, string>;
}

/** Runs a command in a page of its own, and downloads what is there afterwards. */
export async function runInPage(page: Page, command: PageCommand): Promise<PageRun> {
  return page.evaluate(async ({ argv, download, stopAt, upload = {} }) => {
    const address = '/index.js';
    const { Bowyer } = (await import(address)) as typeof import('../src/index.js');
    const bowyer = new Bowyer(new Worker('/page/worker.js', { type: 'module' }));
    for (const [path, content] of Object.entries(upload))
      await bowyer.write(`/work/${path}`, await (await fetch(`data:;base64,${content}`)).bytes());
    const lines: string[] = [];
    const stop = new AbortController();
    const onLine = (line: string): void => {
      lines.push(line);
      if (stopAt !== undefined && line.includes(stopAt)) stop.abort();
    };
    const code = await bowyer.run(argv, { onLine, signal: stop.signal });
    const files: Record<string, string> = {};
    for (const path of Object.keys(await bowyer.list())) {
      if (!download.some((beginning) => path.startsWith(`/work/${beginning}`))) continue;
      const reader = new FileReader();
      const read = new Promise<void>((resolve) => reader.addEventListener('load', () => resolve()));
      reader.readAsDataURL(new Blob([(await bowyer.read(path)) as Uint8Array<ArrayBuffer>]));
      await read;
      files[path.replace('/work/', '')] = (reader.result as string).split(',')[1] ?? '';
    }
    return { code, lines, files };
  }, command);
}
