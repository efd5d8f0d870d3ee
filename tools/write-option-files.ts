// Writes the files of options in configs/, and the tables of flat names, algorithms and environments, from the registered units: npm run option-files.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { optionFiles } from '@bowyer/runner';

const pages = ['packages/envs/src', 'packages/algorithms/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);
function pageOf(name: string): string {
  const page = pages.find((file) => file.endsWith(`/${name}.md`));
  if (page === undefined) throw new Error(`${name} has no page: write ${name}.md beside its code`);
  return page;
}

const environmentsPage = readFileSync('docs/environments/README.md', 'utf8');
for (const [path, text] of Object.entries(optionFiles(pageOf, environmentsPage))) writeFileSync(path, text);
