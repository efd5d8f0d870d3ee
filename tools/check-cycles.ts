// Finds files of a package that import each other in a circle, imports of types and dynamic imports included. Exits with 1
// where there are any:
//   node --conditions=source --import tsx tools/check-cycles.ts [package …]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const asked = process.argv.slice(2);
const packages = asked.length > 0 ? asked : readdirSync('packages');
const files = packages.flatMap((name) => filesBelow(join('packages', name, 'src')));
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const cycles = stronglyConnected(imports).filter(
  (group) => group.length > 1 || imports.get(group[0])?.includes(group[0]),
);
for (const group of cycles) console.log(`${group.length} files import each other:\n  ${group.sort().join('\n  ')}`);
console.log(`${cycles.length} import cycles in ${files.length} files`);
process.exitCode = cycles.length > 0 ? 1 : 0;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

/** Files of this project that a file names with a relative path. */
function importsOf(file: string): string[] {
  return ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(file), name.replace(/\.js$/, '.ts')))
    .filter((path) => existsSync(path));
}

/** Groups of nodes that all reach each other (Tarjan 1972). */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  /** The earliest node that each one reaches among those still on the stack. */
  const earliest = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    earliest.set(node, order.get(node)!);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      earliest.set(node, Math.min(earliest.get(node)!, earliest.get(next)!));
    }
    if (earliest.get(node) === order.get(node)) groups.push(stack.splice(stack.indexOf(node)));
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups;
}
