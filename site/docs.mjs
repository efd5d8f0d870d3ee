// Builds the documentation into `site/dist/docs`: VitePress pages, each page also as Markdown, and `llms.txt` with all of them.
// SITE_BASE is the path under which the site is served: `/` if it is not set, `/bowyer/` for a project of GitHub Pages.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { readPages, repository } from './pages.mjs';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');

/**
 * Writes the option tables of a group of configs as a page. The group's files are generated from the schemas, with a comment
 * above each option.
 */
function writeOptions(group) {
  const files = readdirSync(join(repository, 'configs', group)).filter((name) => name.endsWith('.yaml'));
  const parts = files.map((name) => {
    const text = readFileSync(join(repository, 'configs', group, name), 'utf8');
    const shown = text.split('\n').filter((line) => !/^# (@package|yaml-language|Written by)/.test(line));
    return `## ${name.replace('.yaml', '')}\n\n\`\`\`yaml\n${shown.join('\n').trim()}\n\`\`\`\n`;
  });
  const head = `# Options of ${group}\n\nWritten from the schemas: each option with its default, and above it what it is.\n\n`;
  writeFileSync(join(folder, 'reference', `${group}.md`), head + parts.join('\n'));
}

rmSync(join(folder, 'reference'), { recursive: true, force: true });
mkdirSync(join(folder, 'reference'));
for (const group of [
  'task',
  'algorithm',
  'env',
  'policy',
  'critic',
  'optimizer',
  'demonstrations',
  'context',
  'memory',
])
  writeOptions(group);

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
