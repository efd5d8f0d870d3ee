import { isInterpolation, type ConfigNode } from '../node.js';
import { parseText, InterpolationSyntaxError } from './parse.js';
import { interpolationSyntaxError } from './resolve.js';

/** Throws an error for an interpolation with invalid syntax, before any is resolved. */
export function checkInterpolations(node: ConfigNode, path: string): void {
  if (node.kind === 'list') node.items.forEach((item, index) => checkInterpolations(item, `${path}[${index}]`));
  else if (node.kind === 'map')
    for (const entry of node.entries.values())
      checkInterpolations(entry.node, path === '' ? String(entry.key) : `${path}.${String(entry.key)}`);
  else if (isInterpolation(node)) {
    try {
      parseText(node.value);
    } catch (error) {
      if (error instanceof InterpolationSyntaxError) throw interpolationSyntaxError(error, path, node);
      throw error;
    }
  }
}
