// Makes an HTML page as a single file that opens offline, with its style, script and data inside.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageData } from './data.js';

/** The names of the scripts in `web/pages/`, each of which draws one kind of page. */
export type PageName = 'report' | 'dashboard';

const names: readonly PageName[] = ['report', 'dashboard'];
const folder = import.meta.dirname;
const cached = new Map<PageName, Promise<PageCode>>();

interface PageCode {
  script: string;
  style: string;
}

/**
 * Returns the script and style of a page: in the published package from the file dist/pages.json, in a checkout bundled from the
 * sources, once per process (50 ms).
 */
function pageCode(name: PageName): Promise<PageCode> {
  let code = cached.get(name);
  if (code === undefined) cached.set(name, (code = loadCode(name)));
  return code;
}

async function loadCode(name: PageName): Promise<PageCode> {
  const packed = join(folder, 'pages.json');
  if (existsSync(packed)) return (JSON.parse(await readFile(packed, 'utf8')) as Record<PageName, PageCode>)[name];
  return bundle(name);
}

/** Returns the scripts and styles of all pages as JSON, which is the content of `dist/pages.json` in the published package. */
export async function packedPages(): Promise<string> {
  return JSON.stringify(Object.fromEntries(await Promise.all(names.map(async (name) => [name, await bundle(name)]))));
}

async function bundle(name: PageName): Promise<PageCode> {
  const { build } = await import('esbuild');
  const web = join(folder, '..', 'src', 'web');
  const { outputFiles } = await build({
    stdin: {
      contents: `import 'uplot/dist/uPlot.min.css'; import './style.css'; import './pages/${name}.js';`,
      resolveDir: web,
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    write: false,
    outdir: 'out',
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'inline',
    logLevel: 'silent',
  });
  const text = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))!.text;
  return { script: text('.js'), style: text('.css') };
}

/** Returns the HTML of a page that contains its data and needs no server. */
export async function renderPage(data: PageData): Promise<string> {
  const { script, style } = await pageCode('report');
  // `<` is escaped, since `</script>` or `<!--` in the data would end or hide the script.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${data.title.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]!)}</title>
<style>${style}</style>
</head>
<body>
<noscript>This page draws its curves and episodes with a script that is inside it: allow scripts for this file.</noscript>
<script type="application/json" id="data">${json}</script>
<script>${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
}

/** The HTML of a page whose script fetches its data; the security policy allows only resources of the page's server. */
export async function shellPage(title: string, name: PageName): Promise<string> {
  const { script, style } = await pageCode(name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<noscript>This page needs scripts.</noscript>
<script>${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
}
