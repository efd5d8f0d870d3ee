// Replaces the module `node:url` when Bowyer runs in a web page.
export const fileURLToPath = (url: string | URL): string => decodeURIComponent(new URL(url).pathname);
export const pathToFileURL = (path: string): URL =>
  new URL(`file://${path.split('/').map(encodeURIComponent).join('/')}`);
const { URL: PageUrl, URLSearchParams: PageParameters } = globalThis;
export { PageUrl as URL, PageParameters as URLSearchParams };
export default { fileURLToPath, pathToFileURL, URL: PageUrl, URLSearchParams: PageParameters };
