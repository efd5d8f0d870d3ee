// Writes the files of options in configs/ from the schemas of the units: npm run option-files.
import { readdirSync, writeFileSync } from 'node:fs';
import { optionFiles } from '@bowyer/runner';

const pages = ['packages/envs/src', 'packages/algorithms/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);
const pageOf = (name: string) => pages.find((file) => file.endsWith(`/${name}.md`))!;

for (const [path, text] of Object.entries(optionFiles(pageOf))) writeFileSync(path, text);
