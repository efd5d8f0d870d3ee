// Parts that the pages of the site share: elements by their ids, the program, files for the reader.
import { Bowyer } from '@bowyer/web';

/** Returns the element of an id. */
export const element = <Kind extends HTMLElement>(id: string): Kind => document.getElementById(id) as Kind;

/** Makes an element with a text. */
export function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}

let bowyer: Bowyer | null = null;

/** Returns the program of this page, which is loaded at the first call. */
export const program = (): Bowyer =>
  (bowyer ??= new Bowyer(new Worker(new URL('./page/worker.js', import.meta.url), { type: 'module' })));

/** Hands a file to the reader as a download. */
export function download(name: string, data: Uint8Array): void {
  const href = URL.createObjectURL(new Blob([data as Uint8Array<ArrayBuffer>]));
  made('a', '', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Runs work that a form starts: its submit button waits meanwhile, its stop button ends it, and an error is shown in its status. */
export function onSubmit(
  form: HTMLFormElement,
  status: HTMLElement,
  work: (signal: AbortSignal) => Promise<void>,
): void {
  const submit = form.querySelector<HTMLButtonElement>('[type=submit]')!;
  const stop = form.querySelector<HTMLButtonElement>('.stop');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const abort = new AbortController();
    if (stop) Object.assign(stop, { onclick: () => abort.abort(), disabled: false });
    submit.disabled = true;
    work(abort.signal)
      .catch((error: Error) => {
        status.textContent = abort.signal.aborted ? 'Stopped.' : error.message;
      })
      .finally(() => {
        submit.disabled = false;
        if (stop) stop.disabled = true;
      });
  });
}

/** Keeps the site for times without a network. Where the server does not isolate the page, the service worker does, from the next load on. */
async function keepSite(): Promise<void> {
  await navigator.serviceWorker.register('service-worker.js');
  if (crossOriginIsolated || sessionStorage.getItem('isolation') !== null) return;
  sessionStorage.setItem('isolation', 'asked'); // once: some browsers give no isolation
  await navigator.serviceWorker.ready;
  location.reload();
}
if ('serviceWorker' in navigator) keepSite().catch(() => undefined); // the page works without it, on one thread
