// Fails if files or folders of a package import each other in a circle, including type imports. The files and folders within a
// folder are compared at every level; index.ts is the interface of its folder.
//   node --import tsx tools/check-cycles.ts [PACKAGE ...]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '..');

/** Lists the TypeScript files below a folder, except tests. */
function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
    .sort();
}

/**
 * Lists the files of the same package that a file names in `import`, `export … from` and `import('…').Type`. An `import()` is
 * ignored: a unit loads its code when it runs, and the code takes its config's type from the unit's options.
 */
function importsOf(path: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const names =
      ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) ||
      (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && node.argument.literal);
    if (names && ts.isStringLiteral(names) && names.text.startsWith('.')) found.push(names.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest));
  return found.map((name) => join(dirname(path), name.replace(/\.js$/, '.ts')));
}

/** Finds the strongly connected components of more than one file: Tarjan 1972, doi:10.1137/0201010. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    stack.push(file);
    let lowest = number;
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next)!);
    }
    if (lowest === number) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1 || graph.get(file)?.includes(file)) found.push(component);
    }
    return lowest;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

/**
 * Lists, at each level of folders below `folder`, its children, and for each the children that its files import.
 *
 * @returns level → child → for each imported child, one file that imports it with the file that it imports
 */
function levels(
  folder: string,
  graph: ReadonlyMap<string, readonly string[]>,
): Map<string, Map<string, Map<string, string>>> {
  const found = new Map<string, Map<string, Map<string, string>>>();
  for (const [file, targets] of graph) {
    for (const target of targets) {
      const [from, to] = [relative(folder, file).split('/'), relative(folder, target).split('/')];
      let depth = 0;
      while (depth < from.length - 1 && depth < to.length - 1 && from[depth] === to[depth]) depth++;
      if (from[depth] === to[depth] || from[depth] === 'index.ts' || to[depth] === 'index.ts') continue;
      const level = from.slice(0, depth).join('/');
      const children = found.get(level) ?? new Map<string, Map<string, string>>();
      found.set(level, children);
      for (const child of [from[depth], to[depth]]) if (!children.has(child)) children.set(child, new Map());
      children.get(from[depth])!.set(to[depth], `${relative(root, file)} imports ${to.join('/')}`);
    }
  }
  return found;
}

const packages = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(join(root, 'packages')).sort();
let count = 0;
for (const name of packages) {
  const folder = join(root, 'packages', name, 'src');
  if (!existsSync(folder)) continue;
  const files = sourcesIn(folder);
  const known = new Set(files);
  const graph = new Map(files.map((file) => [file, importsOf(file).filter((target) => known.has(target))]));
  for (const [level, children] of levels(folder, graph)) {
    const arrows = new Map([...children].map(([child, targets]) => [child, [...targets.keys()]]));
    for (const circle of circles(arrows)) {
      count++;
      const place = join('packages', name, 'src', level);
      console.error(
        `${circle.length} files or folders of ${place} import each other in a circle: ${circle.join(', ')}`,
      );
      for (const child of circle)
        for (const [target, example] of children.get(child)!)
          if (circle.includes(target)) console.error(`  ${child} → ${target}: ${example}`);
    }
  }
}
if (count > 0) {
  console.error('Move what both sides of a circle need below them, into a file or folder that imports neither.');
  process.exitCode = 1;
}
