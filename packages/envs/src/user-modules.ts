// Imports a user's own modules (plugins, rewards, checkers), in TypeScript or JavaScript, from any folder.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Imports a module once. A TypeScript module counts as an ES module without a package.json, and packages that its folder lacks,
 * such as `@bowyer/…`, are taken from this installation. @param path absolute
 */
export async function importUserModule(path: string): Promise<Record<string, unknown>> {
  if (/\.m?ts$/.test(path)) await enableTypeScript();
  return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
}

let enabled = false;

/** Makes TypeScript importable. @param installation module from which packages are resolved; only the first call's counts */
export async function enableTypeScript(installation: string = import.meta.url): Promise<void> {
  if (enabled) return;
  enabled = true;
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: installation });
}

/** The source of Node's hooks that resolve imports of user modules. Hooks that are registered after tsx are called first. */
const hooks = `
  let installation;
  export const initialize = (data) => { installation = data; };
  const isTypeScript = (url) => /\\.m?ts$/.test(url.split('?')[0]) && !url.includes('/node_modules/');

  export async function resolve(specifier, context, next) {
    const ofInstallation = () => next(specifier, { ...context, parentURL: installation });
    if (specifier.startsWith('@bowyer/')) return ofInstallation();
    try {
      const found = await next(specifier, context);
      return isTypeScript(found.url) ? { ...found, format: 'module' } : found;
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || /^[./]|^[a-z]+:/.test(specifier)) throw error;
      return ofInstallation();
    }
  }

  export const load = (url, context, next) => next(url, isTypeScript(url) ? { ...context, format: 'module' } : context);
`;
