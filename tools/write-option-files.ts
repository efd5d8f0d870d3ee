// Writes the files of options in configs/, and the tables of flat names, algorithms and environments, from the registered units: npm run option-files.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { optionFiles } from '@bowyer/runner';

const pages = ['packages/envs/src', 'packages/algorithms/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);
const pageOf = (name: string) => pages.find((file) => file.endsWith(`/${name}.md`))!;

const environmentsPage = readFileSync('docs/environments/README.md', 'utf8');
for (const [path, text] of Object.entries(optionFiles(pageOf, environmentsPage))) writeFileSync(path, text);
