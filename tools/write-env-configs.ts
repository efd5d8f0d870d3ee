// Writes the files of configs/env and configs/demonstrations from the schemas of the environments: npm run env-configs.
import { readdirSync, writeFileSync } from 'node:fs';
import { environmentFiles } from '@bowyer/runner';

const sources = 'packages/envs/src';
const pages = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
const pageOf = (name: string) => `${sources}/${pages.find((file) => file.endsWith(`/${name}.md`))}`;

for (const [path, text] of Object.entries(environmentFiles(pageOf))) writeFileSync(path, text);
