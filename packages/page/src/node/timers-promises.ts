// Replaces the module `node:timers/promises` when Bowyer runs in a web page.
interface WaitOptions {
  signal?: AbortSignal;
}

const wait = <Value>(milliseconds = 0, value?: Value, { signal }: WaitOptions = {}): Promise<Value> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value as Value);
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

export { wait as setTimeout };
export const setImmediate = <Value>(value?: Value): Promise<Value> => wait(0, value);
export default { setImmediate, setTimeout: wait };
