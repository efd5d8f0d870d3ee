// Builds the documentation into `site/dist/docs`: pages of VitePress, each page as Markdown too, and `llms.txt` with all of them.
// SITE_BASE is the path under which the site is served: `/` where it is not given, `/bowyer/` for a project of GitHub Pages.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { writeServiceWorker } from './kept-files.mjs';
import { optionPages } from './option-tables.mjs';
import { readPages, repository } from './pages.mjs';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');

rmSync(join(folder, 'reference'), { recursive: true, force: true });
mkdirSync(join(folder, 'reference'));
for (const [name, text] of Object.entries(optionPages())) writeFileSync(join(folder, 'reference', `${name}.md`), text);

await build(folder);
const sections = readPages();
for (const { pages } of sections)
  for (const { path } of pages) {
    const target = join(dist, 'docs', path);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(repository, path), target);
  }
const listed = sections.map(
  ({ section, pages }) =>
    `## ${section}\n\n${pages.map(({ path, title }) => `- [${title}](docs/${path})`).join('\n')}\n`,
);
const about =
  '# Bowyer\n\n> Trains and evaluates language-model agents on multi-turn text tasks by reinforcement learning, in TypeScript.\n\n';
writeFileSync(join(dist, 'llms.txt'), about + listed.join('\n'));
const whole = sections.flatMap(({ pages }) => pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text}`));
writeFileSync(join(dist, 'llms-full.txt'), about + whole.join('\n\n'));
writeServiceWorker(dist);
