// Lists the pages of the documentation: the repository's Markdown by section, in the order of the side bar.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const repository = join(import.meta.dirname, '..');

const folders = ['docs', 'packages', 'experiments', 'benchmarks', 'site/reference'];
const below = (folder) =>
  readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(repository.length + 1))
    .filter((path) => !/(^|\/)(node_modules|dist|fixtures|outputs|sample|_media)\//.test(path))
    .sort();

const sections = [
  ['Start', /^(README|docs\/(README|[^/]*))\.md$/],
  ['Agents', /^docs\/agents\//],
  ['Models', /^docs\/models\//],
  ['Algorithms', /^(docs\/algorithms|packages\/algorithms\/src)\//],
  ['Environments', /^(docs\/environments|packages\/envs\/src)\//],
  ['Options', /^site\/reference\//],
  ['API of the packages', /^docs\/api\//],
  ['Adding parts', /^docs\/extending\//],
  ['Packages', /^packages\/[^/]*\/README\.md$/],
  ['Studies and benchmarks', /^(experiments|benchmarks)\//],
  ['Decisions', /^docs\/decisions\//],
  ['Project', /^(CONTRIBUTING|CHANGELOG)\.md$/],
];

/** Returns the first heading of a text. */
const titleOf = (text) => /^# (.*)$/m.exec(text)?.[1].replaceAll('`', '');

/** Reads the pages: sections with their titles, and pages with path, title and text. */
export function readPages() {
  const paths = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...folders.flatMap(below)];
  return sections.map(([section, pattern]) => ({
    section,
    pages: paths
      .filter((path) => pattern.test(path))
      .map((path) => {
        const text = readFileSync(join(repository, path), 'utf8');
        return { path, text, title: titleOf(text) ?? path };
      }),
  }));
}
