// Configures the documentation of the site: the repository's own Markdown, with search that needs no server.
import { defineConfig } from 'vitepress';
import { readPages } from '../pages.mjs';

const sections = readPages();
const included = new Set(sections.flatMap(({ pages }) => pages.map(({ path }) => path)));
const base = process.env.SITE_BASE ?? '/';

export default defineConfig({
  srcDir: '..',
  outDir: 'dist/docs',
  cacheDir: '../.cache/vitepress',
  base: `${base}docs/`,
  title: 'Bowyer',
  description: 'Trains and evaluates language-model agents on multi-turn text tasks, in TypeScript.',
  srcExclude: ['**/{node_modules,dist,fixtures,outputs,sample,_media,changes,suites,examples,.*}/**', 'site/*.md'],
  // Links to sources lead to files that the site does not have; a test of the repository checks all links.
  ignoreDeadLinks: true,
  // Texts contain models' tags and templates' braces, and no components.
  markdown: {
    html: false,
    attrs: { disable: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  transformPageData(page) {
    if (!included.has(page.relativePath)) page.frontmatter.search = false;
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Watch an agent learn', link: `${base}index.html`, target: '_self' },
      { text: 'Play against it', link: `${base}play.html`, target: '_self' },
      { text: 'Your model', link: `${base}model.html`, target: '_self' },
      { text: 'Documentation', link: '/docs/README' },
    ],
    sidebar: sections.map(({ section, pages }) => ({
      text: section,
      collapsed: true,
      items: pages.map(({ path, title }) => ({ text: title, link: `/${path.replace(/\.md$/, '')}` })),
    })),
  },
});
