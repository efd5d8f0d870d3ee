// Gives the site's pages elements by id, the program, and downloads.
import { Bowyer } from '@bowyer/web';

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

/** Offers a file as a download. */
export function download(name: string, data: Uint8Array): void {
  const href = URL.createObjectURL(new Blob([data as Uint8Array<ArrayBuffer>]));
  made('a', '', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Runs the work of a form: its submit button is disabled meanwhile, its stop button ends the work, and errors are shown in its status. */
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

/** Stores the site for use without a network. If the server does not isolate the page, the service worker does after the next load. */
async function keepSite(): Promise<void> {
  await navigator.serviceWorker.register('service-worker.js');
  void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage('keep all'));
  if (crossOriginIsolated || sessionStorage.getItem('isolation') !== null) return;
  sessionStorage.setItem('isolation', 'asked'); // only once, since some browsers never isolate a page
  await navigator.serviceWorker.ready;
  location.reload();
}
if ('serviceWorker' in navigator) keepSite().catch(() => undefined); // the page works without it, on one thread
